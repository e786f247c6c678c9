/* SPDX-License-Identifier: Apache-2.0 */
/* The row functions: each has one line of the list and one header. tulle__rows_KIND returns the
 * number of entries of a row, and stores the columns, distinct and ascending, where the caller
 * wants them. tulle__value_KIND returns the value of one entry. */
#ifndef TULLE_IO_ROWS_H
#define TULLE_IO_ROWS_H

#include "io/rows_banded.h"
#include "io/rows_dense.h"
#include "io/rows_fem.h"
#include "io/rows_grid.h"
#include "io/rows_interp.h"
#include "io/rows_scatter.h"

#define TULLE__ROW_KINDS(X) X(grid) X(fem) X(scatter) X(banded) X(dense) X(interp)

enum {
#define X(kind) TULLE__ROWS_##kind,
    TULLE__ROW_KINDS(X)
#undef X
};

ROWS_FUNCTION int64_t tulle__row_columns(const tulle__rows_args *g, int64_t row,
                                         tulle__columns columns) {
    switch (g->kind) {
#define X(kind)                                                                                    \
    case TULLE__ROWS_##kind:                                                                       \
        return tulle__rows_##kind(g, row, columns);
        TULLE__ROW_KINDS(X)
#undef X
        default:
            return 0;
    }
}

ROWS_FUNCTION int64_t tulle__row_count(const tulle__rows_args *g, int64_t row) {
    tulle__columns none = {0, 0};
    return tulle__row_columns(g, row, none);
}

ROWS_FUNCTION double tulle__row_value(const tulle__rows_args *g, int64_t row, int64_t column) {
    switch (g->kind) {
#define X(kind)                                                                                    \
    case TULLE__ROWS_##kind:                                                                       \
        return tulle__value_##kind(g, row, column);
        TULLE__ROW_KINDS(X)
#undef X
        default:
            return 0;
    }
}

#endif
