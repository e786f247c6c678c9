/* SPDX-License-Identifier: Apache-2.0 */
/* Laplacian stencils on a grid of nx x ny x nz nodes with b unknowns per node, zero outside. */
#ifndef TULLE_IO_ROWS_GRID_H
#define TULLE_IO_ROWS_GRID_H

#include "io/rows_common.h"

/* Indices in number[]. STAR is 1 if only the nodes along the axes are neighbours, 0 if all nodes of
 * the box around a node are. DIAGONAL is the value on the diagonal: the number of neighbours of an
 * inner node. */
enum {
    TULLE__GRID_NX,
    TULLE__GRID_NY,
    TULLE__GRID_NZ,
    TULLE__GRID_BLOCK,
    TULLE__GRID_STAR,
    TULLE__GRID_DIAGONAL
};

ROWS_FUNCTION bool tulle__inside(int64_t at, int64_t count) {
    return at >= 0 && at < count;
}

ROWS_FUNCTION int64_t tulle__rows_grid(const tulle__rows_args *g, int64_t row,
                                       tulle__columns columns) {
    int64_t nx = g->number[TULLE__GRID_NX], ny = g->number[TULLE__GRID_NY];
    int64_t nz = g->number[TULLE__GRID_NZ], block = g->number[TULLE__GRID_BLOCK];
    bool star = g->number[TULLE__GRID_STAR];
    int64_t node = row / block, x = node % nx, y = node / nx % ny, z = node / nx / ny;
    int64_t count = 0;
    for (int dz = -1; dz <= 1; dz++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                if (star && dx * dx + dy * dy + dz * dz > 1) continue;
                if (!tulle__inside(x + dx, nx) || !tulle__inside(y + dy, ny) ||
                    !tulle__inside(z + dz, nz)) {
                    continue;
                }
                int64_t first = (node + dx + nx * (dy + ny * dz)) * block;
                for (int64_t c = 0; c < block; c++) {
                    tulle__column_set(columns, count, first + c);
                    count++;
                }
            }
        }
    }
    return count;
}

/* Returns the value of an entry: the Laplacian times an entry of a small matrix that couples the
 * unknowns of a node, with 1 on its diagonal and 1/4 beside it. The result is symmetric and
 * positive definite. */
ROWS_FUNCTION double tulle__value_grid(const tulle__rows_args *g, int64_t row, int64_t column) {
    int64_t block = g->number[TULLE__GRID_BLOCK];
    double laplacian =
        row / block == column / block ? (double)g->number[TULLE__GRID_DIAGONAL] : -1.0;
    return row % block == column % block ? laplacian : laplacian * 0.25;
}

#endif
