/* SPDX-License-Identifier: Apache-2.0 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "progress.h"

/* A character is twice as high as wide and holds a grid of square dots: 2 x 4 in Braille, 1 x 2 in
 * ASCII. */
typedef struct canvas {
    int across, down;   /* dots of a character */
    int64_t wide, high; /* in dots */
    int64_t *count;     /* entries of each dot */
} canvas;

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* As many dots as the terminal has room for, but no more than one for each row and column. */
static canvas create_canvas(const tool_csr *A, tool_terminal terminal) {
    enum { FRAME = 2, WIDEST = 100, BESIDE = 4 };
    canvas c = {.across = terminal.utf8 ? 2 : 1, .down = terminal.utf8 ? 4 : 2};
    int64_t columns = larger(terminal.columns - FRAME - BESIDE, 8);
    int64_t most_wide = (columns < WIDEST ? columns : WIDEST) * c.across;
    int64_t most_high = larger(terminal.lines - FRAME - BESIDE, 4) * c.down;
    int64_t step = larger(larger(divide_up(A->cols, most_wide), divide_up(A->rows, most_high)), 1);
    c.wide = larger(divide_up(A->cols, step), 1);
    c.high = larger(divide_up(A->rows, step), 1);
    c.count = tool_alloc((size_t)(c.wide * c.high), sizeof *c.count);
    return c;
}

static tulle_status draw(const tool_csr *A, canvas *c) {
    int64_t step_wide = larger(divide_up(A->cols, c->wide), 1);
    int64_t step_high = larger(divide_up(A->rows, c->high), 1);
    for (int64_t row = 0; row < A->rows; row++) {
        if (row % 65536 == 0 && tool_progress(NULL, "drawing", row, A->rows)) {
            return TULLE_CANCELLED;
        }
        int64_t *line = c->count + row / step_high * c->wide;
        for (int64_t k = tool_csr_offset(A, row); k < tool_csr_offset(A, row + 1); k++) {
            line[tool_csr_column(A, k) / step_wide]++;
        }
    }
    return TULLE_OK;
}

static int64_t count_at(const canvas *c, int64_t x, int64_t y) {
    return x < c->wide && y < c->high ? c->count[y * c->wide + x] : 0;
}

/* U+2800 plus a bit for each dot, as three bytes of UTF-8. */
static void print_braille(const canvas *c, int64_t x, int64_t y, FILE *file) {
    static const int bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int dots = 0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 2; i++) {
            if (count_at(c, x + i, y + j)) dots |= bit[j][i];
        }
    }
    fprintf(file, "\xE2%c%c", 0xA0 + (dots >> 6), 0x80 + (dots & 0x3F));
}

static int64_t largest_pair(const canvas *c) {
    int64_t largest = 1;
    for (int64_t y = 0; y < c->high; y += 2) {
        for (int64_t x = 0; x < c->wide; x++) {
            largest = larger(largest, count_at(c, x, y) + count_at(c, x, y + 1));
        }
    }
    return largest;
}

/* Darkness grows with the logarithm of the number of entries. */
static void print_shade(const canvas *c, int64_t x, int64_t y, int64_t largest, FILE *file) {
    static const char shades[] = ".:-=+*#%@";
    int64_t count = count_at(c, x, y) + count_at(c, x, y + 1);
    double dark = log1p((double)count) / log1p((double)largest);
    fputc(count ? shades[(int)(dark * (sizeof shades - 2))] : ' ', file);
}

static void print_edge(const canvas *c, tool_terminal terminal, const char *const part[3],
                       FILE *file) {
    const char *plain[] = {"+", "-", "+"};
    const char *const *p = terminal.utf8 ? part : plain;
    fprintf(file, "  %s", p[0]);
    for (int64_t x = 0; x < c->wide; x += c->across) fputs(p[1], file);
    fprintf(file, "%s\n", p[2]);
}

static void print_canvas(const canvas *c, tool_terminal terminal, FILE *file) {
    static const char *const top[] = {"┌", "─", "┐"};
    static const char *const bottom[] = {"└", "─", "┘"};
    const char *side = terminal.utf8 ? "│" : "|";
    int64_t largest = largest_pair(c);
    print_edge(c, terminal, top, file);
    for (int64_t y = 0; y < c->high; y += c->down) {
        fprintf(file, "  %s", side);
        for (int64_t x = 0; x < c->wide; x += c->across) {
            if (terminal.utf8) {
                print_braille(c, x, y, file);
            } else {
                print_shade(c, x, y, largest, file);
            }
        }
        fprintf(file, "%s\n", side);
    }
    print_edge(c, terminal, bottom, file);
}

tulle_status tool_print_picture(const tool_csr *A, tool_terminal terminal, FILE *file) {
    canvas c = create_canvas(A, terminal);
    tulle_status status = draw(A, &c);
    tool_progress_end();
    if (status == TULLE_OK) print_canvas(&c, terminal, file);
    free(c.count);
    return status;
}
