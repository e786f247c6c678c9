/* SPDX-License-Identifier: Apache-2.0 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

#include "canvas.h"

/* A character is twice as high as wide and holds a grid of square dots, the cells of the canvas:
 * 2 x 4 in Braille, 1 x 2 in ASCII. */
typedef struct picture {
    tool_canvas canvas;
    int across, down; /* dots of a character */
} picture;

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Draws the pattern with as many dots as the terminal has room for. */
static tulle_status draw(const tool_csr *A, tool_terminal terminal, picture *p) {
    enum { FRAME = 2, WIDEST = 100, BESIDE = 4 };
    *p = (picture){.across = terminal.utf8 ? 2 : 1, .down = terminal.utf8 ? 4 : 2};
    int64_t columns = larger(terminal.columns - FRAME - BESIDE, 8);
    int64_t most_wide = (columns < WIDEST ? columns : WIDEST) * p->across;
    int64_t most_high = larger(terminal.lines - FRAME - BESIDE, 4) * p->down;
    return tool_canvas_draw(A, most_wide, most_high, &p->canvas);
}

/* U+2800 plus a bit for each dot, as three bytes of UTF-8. */
static void print_braille(const tool_canvas *c, int64_t x, int64_t y, FILE *file) {
    static const int bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int dots = 0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 2; i++) {
            if (tool_canvas_at(c, x + i, y + j)) dots |= bit[j][i];
        }
    }
    fprintf(file, "\xE2%c%c", 0xA0 + (dots >> 6), 0x80 + (dots & 0x3F));
}

static int64_t largest_pair(const tool_canvas *c) {
    int64_t largest = 1;
    for (int64_t y = 0; y < c->high; y += 2) {
        for (int64_t x = 0; x < c->wide; x++) {
            largest = larger(largest, tool_canvas_at(c, x, y) + tool_canvas_at(c, x, y + 1));
        }
    }
    return largest;
}

/* Darkness grows with the logarithm of the number of entries. */
static void print_shade(const tool_canvas *c, int64_t x, int64_t y, int64_t largest, FILE *file) {
    static const char shades[] = ".:-=+*#%@";
    int64_t count = tool_canvas_at(c, x, y) + tool_canvas_at(c, x, y + 1);
    double dark = log1p((double)count) / log1p((double)largest);
    fputc(count ? shades[(int)(dark * (sizeof shades - 2))] : ' ', file);
}

static void print_edge(const picture *p, tool_terminal terminal, const char *const part[3],
                       FILE *file) {
    const char *plain[] = {"+", "-", "+"};
    const char *const *edge = terminal.utf8 ? part : plain;
    fprintf(file, "  %s", edge[0]);
    for (int64_t x = 0; x < p->canvas.wide; x += p->across) fputs(edge[1], file);
    fprintf(file, "%s\n", edge[2]);
}

static void print_picture(const picture *p, tool_terminal terminal, FILE *file) {
    static const char *const top[] = {"┌", "─", "┐"};
    static const char *const bottom[] = {"└", "─", "┘"};
    const char *side = terminal.utf8 ? "│" : "|";
    const tool_canvas *c = &p->canvas;
    int64_t largest = largest_pair(c);
    print_edge(p, terminal, top, file);
    for (int64_t y = 0; y < c->high; y += p->down) {
        fprintf(file, "  %s", side);
        for (int64_t x = 0; x < c->wide; x += p->across) {
            if (terminal.utf8) {
                print_braille(c, x, y, file);
            } else {
                print_shade(c, x, y, largest, file);
            }
        }
        fprintf(file, "%s\n", side);
    }
    print_edge(p, terminal, bottom, file);
}

tulle_status tool_print_picture(const tool_csr *A, tool_terminal terminal, FILE *file) {
    picture p;
    tulle_status status = draw(A, terminal, &p);
    if (status == TULLE_OK) print_picture(&p, terminal, file);
    free(p.canvas.count);
    return status;
}
