/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern at lower resolution: how many entries fall into each of a grid of square cells. */
#ifndef TOOL_CANVAS_H
#define TOOL_CANVAS_H

#include "tools/common/csr.h"

typedef struct tool_canvas {
    int64_t wide, high; /* in cells; at least 1 */
    int64_t step;       /* rows, and columns, of a cell */
    int64_t *count;     /* entries of each cell, row by row; release with free */
} tool_canvas;

/* As many cells as there is room for, but no more than one for each row and column. Fails with
 * TULLE_CANCELLED alone; there is something to free even then. */
tulle_status tool_canvas_draw(const tool_csr *A, int64_t most_wide, int64_t most_high,
                              tool_canvas *canvas);

/* Entries of a cell; 0 outside. */
static inline int64_t tool_canvas_at(const tool_canvas *c, int64_t x, int64_t y) {
    return x < c->wide && y < c->high ? c->count[y * c->wide + x] : 0;
}

#endif
