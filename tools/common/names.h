/* SPDX-License-Identifier: Apache-2.0 */
/* The tool has these names for the library's constants, in text and in JSON. */
#ifndef TOOL_NAMES_H
#define TOOL_NAMES_H

#include "tulle/tulle.h"

const char *tool_type_name(tulle_type type);          /* "f64" */
const char *tool_index_name(tulle_index index);       /* bits of offsets and columns: "64/32" */
const char *tool_format_name(tulle_format format);    /* "csr" */
const char *tool_backend_name(tulle_backend backend); /* "cuda" */

#endif
