/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/say.h"
#include "tools/common/terminal.h"

enum { CELL_ROOM = 512, GAP = 2, CONTINUED = 4, LEAST_TEXT = 24 };

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

/* Returns true if this sign stands before a heading: '>' aligns the column right, '~' allows
 * leaving it out. */
static bool is_marked(const tool_table *table, int column, char sign) {
    const char *heading = table->headings[column];
    for (; *heading == '>' || *heading == '~'; heading++) {
        if (*heading == sign) return true;
    }
    return false;
}

static const char *heading_of(const tool_table *table, int column) {
    const char *heading = table->headings[column];
    return heading + strspn(heading, ">~");
}

static const char *text_of(const tool_table *table, int row, int column) {
    return row < 0 ? heading_of(table, column) : table->cell[row * table->columns + column];
}

static int rows_of(const tool_table *table) {
    return table->cells / table->columns;
}

static int width_of(const char *text) {
    return tool_text_width(text, strlen(text));
}

static int column_width(const tool_table *table, int column) {
    int width = 0;
    for (int row = -1; row < rows_of(table); row++) {
        int cell = width_of(text_of(table, row, column));
        if (cell > width) width = cell;
    }
    return width;
}

/* A plan places columns in a window: the width of each, which is 0 where the column is left out,
 * and whether it begins a line of its own. */
typedef struct plan {
    int *width;
    bool *breaks;
    int window, indent, last;
} plan;

static int total_width(const tool_table *table, const plan *p) {
    int total = p->indent;
    for (int c = 0; c < table->columns; c++) {
        if (p->width[c] >= 0) total += p->width[c] + (c ? GAP : 0);
    }
    return total;
}

/* Makes columns fit: leaves out, from the right, those that may be left out; shortens the last
 * column of text to the room that is left in the window, where that is enough for words; and begins
 * another line with a column that is still too wide. */
static void fit(const tool_table *table, plan *p) {
    for (int c = table->columns - 1; c >= 0 && total_width(table, p) > p->window; c--) {
        if (is_marked(table, c, '~')) p->width[c] = -1;
    }
    for (p->last = table->columns - 1; p->width[p->last] < 0;) p->last--;
    const int over = total_width(table, p) - p->window;
    const bool is_text = !is_marked(table, p->last, '>');
    if (over > 0 && is_text && p->width[p->last] - over >= LEAST_TEXT) p->width[p->last] -= over;
    int at = p->indent;
    for (int c = 0; c < table->columns; c++) {
        if (p->width[c] < 0) continue;
        const int gap = c ? GAP : 0;
        p->breaks[c] = c > 0 && at + gap + p->width[c] > p->window;
        if (p->breaks[c]) at = p->indent + CONTINUED;
        at += (p->breaks[c] ? 0 : gap) + p->width[c];
        if (p->breaks[c] && c == p->last && is_text && at > p->window) {
            p->width[c] -= at - p->window;
        }
    }
}

static plan plan_of(const tool_table *table, FILE *file, int indent) {
    plan p = {.width = tool_alloc((size_t)table->columns, sizeof *p.width),
              .breaks = tool_alloc((size_t)table->columns, sizeof *p.breaks),
              .window = tool_terminal_of(file).columns,
              .indent = indent};
    for (int c = 0; c < table->columns; c++) p.width[c] = column_width(table, c);
    fit(table, &p);
    return p;
}

/* Prints the words of the last column, line below line, from column `place` on; no line ends in
 * spaces. */
static void print_words(FILE *file, const char *text, int width, int place) {
    while (*text) {
        const size_t length = tool_text_fit(text, width);
        fwrite(text, 1, length, file);
        text += length;
        text += strspn(text, " ");
        if (*text) fprintf(file, "\n%*s", place, "");
    }
}

static void print_row(const tool_table *table, const plan *p, FILE *file, int row) {
    int place = p->indent, spaces = p->indent;
    for (int c = 0; c < table->columns; c++) {
        if (p->width[c] < 0) continue;
        const char *text = text_of(table, row, c);
        const int padding = p->width[c] - width_of(text);
        const bool right = is_marked(table, c, '>');
        if (p->breaks[c]) {
            fputc('\n', file);
            place = p->indent + CONTINUED;
            spaces = place;
        } else if (c > 0) {
            place += GAP;
            spaces += GAP;
        }
        if (*text) fprintf(file, "%*s", spaces + (right ? padding : 0), "");
        if (c == p->last) {
            print_words(file, text, p->width[c], place);
        } else {
            fputs(text, file);
        }
        spaces = !*text ? spaces + p->width[c] : right ? 0 : padding;
        place += p->width[c];
    }
    fputc('\n', file);
}

/* Names the columns that are left out, which a wider window has. */
static void print_left_out(const tool_table *table, const plan *p, FILE *file) {
    char names[CELL_ROOM] = "";
    int wide = p->indent, count = 0;
    for (int c = 0; c < table->columns; c++) {
        const size_t length = strlen(names);
        wide += column_width(table, c) + (c ? GAP : 0);
        if (p->width[c] >= 0) continue;
        snprintf(names + length, sizeof names - length, "%s%s", count++ ? ", " : "",
                 heading_of(table, c));
    }
    if (count == 0) return;
    tool_say_to(file, "%*s(%d columns have no room for %s: COLUMNS=%d shows %s)\n", p->indent, "",
                p->window, names, wide, count == 1 ? "it" : "them");
}

void tool_table_print(tool_table *table, FILE *file, int indent) {
    plan p = plan_of(table, file, indent);
    for (int row = -1; row < rows_of(table); row++) print_row(table, &p, file, row);
    print_left_out(table, &p, file);
    for (int i = 0; i < table->cells; i++) free(table->cell[i]);
    free(table->cell);
    free(table);
    free(p.width);
    free(p.breaks);
}
