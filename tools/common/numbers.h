/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers of command lines strictly: the whole text is a number, and the number is in
 * range. */
#ifndef TOOL_NUMBERS_H
#define TOOL_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool tool_parse_int(const char *text, int64_t min, int64_t max, int64_t *number);
/* Reads an integer from the first `length` characters of a text. */
bool tool_parse_int_of(const char *text, size_t length, int64_t min, int64_t max, int64_t *number);

bool tool_parse_real(const char *text, double *number); /* the number is finite */

/* Reads a number of bytes, at least one: "800", "64K", "1.5G", "2GB", in the units of 1000 in which
 * bytes are printed; "4Gi" and "4GiB" in units of 1024. */
bool tool_parse_bytes(const char *text, int64_t *bytes);

#endif
