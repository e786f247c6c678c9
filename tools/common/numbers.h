/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in command lines, strictly: the whole text is one, and in range. */
#ifndef TOOL_NUMBERS_H
#define TOOL_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

bool tool_parse_int(const char *text, int64_t min, int64_t max, int64_t *number);
bool tool_parse_real(const char *text, double *number); /* finite */

/* Bytes, at least one: "800", "64K", "1.5G", "2GB", in the units in which they are printed. */
bool tool_parse_bytes(const char *text, int64_t *bytes);

#endif
