/* SPDX-License-Identifier: Apache-2.0 */
/* Colours text, on a terminal alone: not where NO_COLOR is set (no-color.org), nor where TERM is
 * "dumb" or missing. */
#ifndef TOOL_COLOUR_H
#define TOOL_COLOUR_H

#include <stdio.h>

typedef enum tool_colour { TOOL_RED, TOOL_GREEN, TOOL_YELLOW } tool_colour;

/* Writes `length` bytes of text to the stream, in a colour where the stream may have colour. */
void tool_paint(FILE *file, tool_colour colour, const char *text, size_t length);

#endif
