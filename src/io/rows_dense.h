/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a few random entries, among them full rows at equal distances. */
#ifndef TULLE_IO_ROWS_DENSE_H
#define TULLE_IO_ROWS_DENSE_H

#include "io/rows_common.h"

enum { TULLE__DENSE_PER_ROW, TULLE__DENSE_COUNT };

/* Returns true for full rows, which are row k * rows / count (rounded down) for k = 0, 1, ... */
ROWS_FUNCTION bool tulle__dense_is_full(int64_t row, int64_t rows, int64_t count) {
    if (count == 0) return false;
    int64_t k = (row * count + rows - 1) / rows;
    return k < count && k * rows / count == row;
}

ROWS_FUNCTION int64_t tulle__dense_draw(const tulle__rows_args *g, int64_t row, int64_t k) {
    double u = tulle__unit(tulle__bits(g->seed, (uint64_t)row, (uint64_t)k));
    return (int64_t)(u * (double)g->cols);
}

ROWS_FUNCTION int64_t tulle__rows_dense(const tulle__rows_args *g, int64_t row,
                                        tulle__columns columns) {
    bool full = tulle__dense_is_full(row, g->rows, g->number[TULLE__DENSE_COUNT]);
    int64_t count = full ? g->cols : g->number[TULLE__DENSE_PER_ROW];
    if (!tulle__columns_wanted(columns)) return count;
    for (int64_t k = 0; k < count; k++) {
        tulle__column_set(columns, k, full ? k : tulle__dense_draw(g, row, k));
    }
    if (!full) tulle__columns_settle(columns, count, g->cols);
    return count;
}

ROWS_FUNCTION double tulle__value_dense(const tulle__rows_args *g, int64_t row, int64_t column) {
    return tulle__random_value(g, row, column);
}

#endif
