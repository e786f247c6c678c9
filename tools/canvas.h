/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern at lower resolution: how many entries fall into each of a grid of square cells. */
#ifndef TOOL_CANVAS_H
#define TOOL_CANVAS_H

#include "tools/common/csr.h"

typedef struct tool_canvas {
    int64_t wide, high; /* width and height in cells; at least 1 */
    int64_t step;       /* number of rows, and of columns, of a cell */
    int64_t *count;     /* number of entries of each cell, row by row; released with free */
} tool_canvas;

/* Counts the entries in as many cells as there is room for, at most one for each row and column.
 * Fails with TULLE_CANCELLED alone; canvas->count is to be freed even then. */
tulle_status tool_canvas_draw(const tool_csr *A, int64_t most_wide, int64_t most_high,
                              tool_canvas *canvas);

/* Returns the number of entries of a cell; 0 for a cell outside of the canvas. */
static inline int64_t tool_canvas_at(const tool_canvas *c, int64_t x, int64_t y) {
    return x < c->wide && y < c->high ? c->count[y * c->wide + x] : 0;
}

#endif
