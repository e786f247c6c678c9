/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_UTF8_H
#define TOOL_UTF8_H

#include <stddef.h>

/* Returns the number of bytes of the character that the text starts with: 1 to 4, or 0 where it is
 * no UTF-8 (RFC 3629). */
size_t tool_utf8_length(const char *text);

#endif
