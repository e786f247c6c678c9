/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"

enum { CELL_ROOM = 512 };

struct tool_table {
    int columns;
    const char *const *headings;
    int cells, room;
    char **cell;
};

tool_table *tool_table_create(const char *const *headings) {
    tool_table *table = tool_alloc(1, sizeof *table);
    table->headings = headings;
    while (headings[table->columns]) table->columns++;
    return table;
}

static void grow(tool_table *table) {
    int room = table->room ? 2 * table->room : 64;
    char **cell = tool_alloc((size_t)room, sizeof *cell);
    if (table->cells) memcpy(cell, table->cell, (size_t)table->cells * sizeof *cell);
    free(table->cell);
    table->cell = cell;
    table->room = room;
}

void tool_table_cell(tool_table *table, const char *format, ...) {
    char text[CELL_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (table->cells == table->room) grow(table);
    char *copy = tool_alloc(strlen(text) + 1, 1);
    strcpy(copy, text);
    table->cell[table->cells++] = copy;
}

/* Characters of UTF-8 text: all bytes but continuation bytes. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static bool is_right(const tool_table *table, int column) {
    return table->headings[column][0] == '>';
}

static const char *heading_of(const tool_table *table, int column) {
    return table->headings[column] + (is_right(table, column) ? 1 : 0);
}

static int column_width(const tool_table *table, int column) {
    int width = width_of(heading_of(table, column));
    for (int i = column; i < table->cells; i += table->columns) {
        int cell = width_of(table->cell[i]);
        if (cell > width) width = cell;
    }
    return width;
}

/* One cell with two spaces before it; nothing after the last one, so that no line ends in spaces.
 */
static void print_cell(const tool_table *table, FILE *file, int column, int width,
                       const char *text) {
    int padding = width - width_of(text);
    bool right = is_right(table, column);
    bool last = column + 1 == table->columns;
    fprintf(file, "%s%*s%s%*s", column ? "  " : "", right ? padding : 0, "", text,
            right || last ? 0 : padding, "");
}

void tool_table_print(tool_table *table, FILE *file, int indent) {
    int *width = tool_alloc((size_t)table->columns, sizeof *width);
    for (int c = 0; c < table->columns; c++) width[c] = column_width(table, c);
    for (int row = -1; row < table->cells / table->columns; row++) {
        fprintf(file, "%*s", indent, "");
        for (int c = 0; c < table->columns; c++) {
            const char *text =
                row < 0 ? heading_of(table, c) : table->cell[row * table->columns + c];
            print_cell(table, file, c, width[c], text);
        }
        fputc('\n', file);
    }
    for (int i = 0; i < table->cells; i++) free(table->cell[i]);
    free(table->cell);
    free(table);
    free(width);
}
