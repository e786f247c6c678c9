/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_PICTURE_H
#define TOOL_PICTURE_H

#include <stdio.h>

#include "tools/common/csr.h"
#include "tools/common/terminal.h"

/* Prints the pattern within a frame, as large as the terminal allows: Braille dots (a dot: entries
 * there), or in ASCII characters that are the darker the more entries there are. Fails with
 * TULLE_CANCELLED alone. */
tulle_status tool_print_picture(const tool_csr *A, tool_terminal terminal, FILE *file);

#endif
