/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_TERMINAL_H
#define TOOL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Size, in characters, of the window that a stream goes to: the terminal's, else COLUMNS and LINES,
 * else 80 x 40. */
typedef struct tool_terminal {
    int columns, lines;
    bool utf8; /* the locale's characters are UTF-8 */
} tool_terminal;

tool_terminal tool_terminal_of(FILE *file);

#endif
