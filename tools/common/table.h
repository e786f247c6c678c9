/* SPDX-License-Identifier: Apache-2.0 */
/* Prints aligned tables, and numbers as people read them. */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include <stdint.h>
#include <stdio.h>

typedef struct tool_table tool_table;

/* Creates a table with these headings (then NULL); a heading that starts with '>' aligns its column
 * right, and a column whose heading starts with '~' (or "~>") may be left out where the window is
 * too narrow. */
tool_table *tool_table_create(const char *const *headings);

/* Adds the next cell; after the last column comes the next row. */
void tool_table_cell(tool_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the table, every line after `indent` spaces, and frees it. It fits the stream's window:
 * columns are left out, which a line below names, the words of the last one are broken, and at last
 * rows take several lines. */
void tool_table_print(tool_table *table, FILE *file, int indent);

enum { TOOL_HUMAN = 32 };

/* These functions write into a buffer of the caller's, and return it: "1.5 GB" (1e9), "1,234,567",
 * "12.3 ms". */
const char *tool_human_bytes(double bytes, char buffer[TOOL_HUMAN]);
const char *tool_human_count(int64_t count, char buffer[TOOL_HUMAN]);
const char *tool_human_seconds(double seconds, char buffer[TOOL_HUMAN]);

#endif
