/* SPDX-License-Identifier: Apache-2.0 */
/* Rows with the diagonal, and each other place within `width` of the diagonal with a given
 * probability. */
#ifndef TULLE_IO_ROWS_BANDED_H
#define TULLE_IO_ROWS_BANDED_H

#include "io/rows_common.h"

enum { TULLE__BANDED_WIDTH };
enum { TULLE__BANDED_FILL }; /* index in real[]: the probability */

ROWS_FUNCTION int64_t tulle__rows_banded(const tulle__rows_args *g, int64_t row,
                                         tulle__columns columns) {
    int64_t width = g->number[TULLE__BANDED_WIDTH], count = 0;
    int64_t first = row > width ? row - width : 0;
    int64_t last = row < g->cols - 1 - width ? row + width : g->cols - 1;
    double fill = g->real[TULLE__BANDED_FILL];
    for (int64_t column = first; column <= last; column++) {
        if (column != row &&
            tulle__unit(tulle__bits(g->seed, (uint64_t)row, (uint64_t)column)) >= fill) {
            continue;
        }
        tulle__column_set(columns, count, column);
        count++;
    }
    return count;
}

ROWS_FUNCTION double tulle__value_banded(const tulle__rows_args *g, int64_t row, int64_t column) {
    return tulle__random_value(g, row, column);
}

#endif
