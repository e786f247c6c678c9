/* SPDX-License-Identifier: Apache-2.0 */
/* The tool has these names for the library's constants, in text and in JSON. */
#ifndef TOOL_NAMES_H
#define TOOL_NAMES_H

#include "tulle/tulle.h"

const char *tool_type_name(tulle_type type); /* "f64" */
/* "64/32", the bits of offsets and of columns */
const char *tool_index_name(tulle_index index);
const char *tool_format_name(tulle_format format);    /* "csr" */
const char *tool_backend_name(tulle_backend backend); /* "cuda" */

#endif
