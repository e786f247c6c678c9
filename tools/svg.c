/* SPDX-License-Identifier: Apache-2.0 */
#include "svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "canvas.h"
#include "svg_page.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/table.h"

enum {
    CELLS = 256,
    SIDE = 512,      /* longer side of the pattern, in pixels */
    LEFT = 96,       /* pixels left of the pattern, for the axis of rows */
    TOP = 64,        /* pixels above the pattern, for the title and the axis of columns */
    BELOW = 40,      /* pixels below the pattern, for the caption */
    NARROWEST = 360, /* width in pixels that title and caption need */
    APART = 96,      /* length in pixels that the labels of an axis need */
    SHADES = 8
};

typedef struct drawing {
    const tool_csr *A;
    const char *title;
    tool_canvas canvas;
    double scale;      /* pixels of a cell */
    double wide, high; /* width and height of the pattern, in pixels */
} drawing;

static void print_head(const drawing *d, FILE *file) {
    double wide = d->wide > NARROWEST ? d->wide : NARROWEST;
    tool_svg_begin(file, wide + 2 * LEFT, d->high + TOP + BELOW, LEFT, d->title);
}

static void print_label(FILE *file, double x, double y, const char *anchor, int64_t number) {
    char text[TOOL_HUMAN];
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
            tool_human_count(number, text));
}

static void print_axes(const drawing *d, FILE *file) {
    double right = LEFT + d->wide, bottom = TOP + d->high;
    bool narrow = d->wide < APART, flat = d->high < APART;
    fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">columns</text>\n",
            LEFT + d->wide / 2, TOP - 24);
    fprintf(file,
            "<text transform=\"translate(%d %.1f) rotate(-90)\" text-anchor=\"middle\">rows"
            "</text>\n",
            LEFT - 24, TOP + d->high / 2);
    print_label(file, LEFT, TOP - 6, narrow ? "end" : "start", 0);
    print_label(file, right, TOP - 6, narrow ? "start" : "end", d->A->cols);
    print_label(file, LEFT - 6, flat ? TOP : TOP + 10, "end", 0);
    print_label(file, LEFT - 6, flat ? bottom + 10 : bottom, "end", d->A->rows);
}

static int64_t largest_count(const tool_canvas *c) {
    int64_t largest = 1;
    for (int64_t i = 0; i < c->wide * c->high; i++) {
        if (c->count[i] > largest) largest = c->count[i];
    }
    return largest;
}

/* Returns a shade from 1 to SHADES, which grows with the logarithm of the number of entries; 0: the
 * cell has no entries. */
static int shade_at(const tool_canvas *c, int64_t x, int64_t y, int64_t largest) {
    int64_t count = tool_canvas_at(c, x, y);
    if (count == 0) return 0;
    double dark = log1p((double)count) / log1p((double)largest);
    return (int)ceil(dark * SHADES - 1e-9);
}

/* Prints the path of a shade; neighbours of one shade in a row of cells are one rectangle. */
static void print_shade(const tool_canvas *c, int shade, int64_t largest, FILE *file) {
    for (int64_t y = 0; y < c->high; y++) {
        for (int64_t x = 0; x < c->wide; x++) {
            int64_t end = x;
            while (end < c->wide && shade_at(c, end, y, largest) == shade) end++;
            if (end == x) continue;
            fprintf(file, "M%" PRId64 " %" PRId64 "h%" PRId64 "v1H%" PRId64 "z", x, y, end - x, x);
            x = end;
        }
    }
}

static bool has_shade(const tool_canvas *c, int shade, int64_t largest) {
    for (int64_t i = 0; i < c->wide * c->high; i++) {
        if (shade_at(c, i % c->wide, i / c->wide, largest) == shade) return true;
    }
    return false;
}

static void print_cells(const drawing *d, FILE *file) {
    const tool_canvas *c = &d->canvas;
    int64_t largest = largest_count(c);
    fprintf(file,
            "<g transform=\"translate(%d %d) scale(%.6g)\" fill=\"#123a6b\" "
            "shape-rendering=\"crispEdges\">\n",
            LEFT, TOP, d->scale);
    for (int shade = 1; shade <= SHADES; shade++) {
        if (!has_shade(c, shade, largest)) continue;
        fprintf(file, "<path fill-opacity=\"%.3g\" d=\"", (double)shade / SHADES);
        print_shade(c, shade, largest, file);
        fprintf(file, "\"/>\n");
    }
    fprintf(file, "</g>\n");
}

static void print_frame(const drawing *d, FILE *file) {
    char entries[TOOL_HUMAN], step[TOOL_HUMAN], most[TOOL_HUMAN];
    fprintf(file,
            "<rect x=\"%d\" y=\"%d\" width=\"%.6g\" height=\"%.6g\" fill=\"none\" "
            "stroke=\"#000\"/>\n",
            LEFT, TOP, d->wide, d->high);
    fprintf(file,
            "<text x=\"%d\" y=\"%.1f\">%s entries; a cell is %s wide and high and holds up to %s"
            "</text>\n",
            LEFT, TOP + d->high + 22, tool_human_count(d->A->nnz, entries),
            tool_human_count(d->canvas.step, step),
            tool_human_count(d->A->nnz ? largest_count(&d->canvas) : 0, most));
}

static tulle_status print(FILE *file, const void *what) {
    const drawing *d = what;
    print_head(d, file);
    print_axes(d, file);
    print_cells(d, file);
    print_frame(d, file);
    tool_svg_end(file);
    return TULLE_OK;
}

tulle_status tool_write_svg(const tool_csr *A, const char *title, const char *path) {
    drawing d = {.A = A, .title = title};
    tulle_status status = tool_canvas_draw(A, CELLS, CELLS, &d.canvas);
    int64_t longer = d.canvas.wide > d.canvas.high ? d.canvas.wide : d.canvas.high;
    d.scale = (double)SIDE / (double)longer;
    d.wide = d.scale * (double)d.canvas.wide;
    d.high = d.scale * (double)d.canvas.high;
    if (status == TULLE_OK) status = tool_write_text(path, &tool_file_svg, print, &d);
    free(d.canvas.count);
    return status;
}
