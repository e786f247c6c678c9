/* SPDX-License-Identifier: Apache-2.0 */
/* Trilinear interpolation to a grid of nx x ny x nz nodes from every second node along each axis,
 * of which the first is node 1; zero outside. */
#ifndef TULLE_IO_ROWS_INTERP_H
#define TULLE_IO_ROWS_INTERP_H

#include "io/rows_common.h"

/* Indices in number[]. */
enum { TULLE__INTERP_NX, TULLE__INTERP_NY, TULLE__INTERP_NZ };

/* Coarse nodes that fine node x of an axis takes values from: the first one, and one behind the
 * last. */
typedef struct tulle__interp_ends {
    int64_t first, end;
} tulle__interp_ends;

ROWS_FUNCTION tulle__interp_ends tulle__interp_at(int64_t x, int64_t fine) {
    int64_t half = x / 2, coarse = fine / 2;
    tulle__interp_ends ends = {half, half + 1};
    if (x % 2 == 0 && half > 0) ends.first = half - 1;
    if (ends.end > coarse) ends.end = coarse;
    return ends;
}

ROWS_FUNCTION int64_t tulle__rows_interp(const tulle__rows_args *g, int64_t row,
                                         tulle__columns columns) {
    int64_t nx = g->number[TULLE__INTERP_NX], ny = g->number[TULLE__INTERP_NY];
    int64_t nz = g->number[TULLE__INTERP_NZ], count = 0;
    tulle__interp_ends x = tulle__interp_at(row % nx, nx);
    tulle__interp_ends y = tulle__interp_at(row / nx % ny, ny);
    tulle__interp_ends z = tulle__interp_at(row / nx / ny, nz);
    for (int64_t k = z.first; k < z.end; k++) {
        for (int64_t j = y.first; j < y.end; j++) {
            for (int64_t i = x.first; i < x.end; i++) {
                tulle__column_set(columns, count, i + nx / 2 * (j + ny / 2 * k));
                count++;
            }
        }
    }
    return count;
}

/* Returns the value of an entry: 1, halved for each axis along which the node is between two coarse
 * ones. */
ROWS_FUNCTION double tulle__value_interp(const tulle__rows_args *g, int64_t row, int64_t column) {
    int64_t nx = g->number[TULLE__INTERP_NX], ny = g->number[TULLE__INTERP_NY];
    const int64_t at[3] = {row % nx, row / nx % ny, row / nx / ny};
    double value = 1;
    (void)column;
    for (int i = 0; i < 3; i++) value *= at[i] % 2 == 0 ? 0.5 : 1.0;
    return value;
}

#endif
