/* SPDX-License-Identifier: Apache-2.0 */
/* The row functions of the stand-ins (io/rows.h): two are the library's, and each other has a
 * header in this folder. */
#ifndef PAPERS_LIKE_ROWS_H
#define PAPERS_LIKE_ROWS_H

#include "io/rows_grid.h"
#include "io/rows_scatter.h"
#include "lab/papers/like/rows_cloud.h"
#include "lab/papers/like/rows_lattice.h"
#include "lab/papers/like/rows_markov.h"

#define PAPER_ROW_KINDS(X)                                                                         \
    X(tulle_, grid) X(tulle_, scatter) X(paper, cloud) X(paper, markov) X(paper, lattice)

enum {
#define X(whose, kind) PAPER_ROWS_##kind,
    PAPER_ROW_KINDS(X)
#undef X
};

static inline int64_t paper_row_columns(const tulle__rows_args *g, int64_t row,
                                        tulle__columns columns) {
    switch (g->kind) {
#define X(whose, kind)                                                                             \
    case PAPER_ROWS_##kind:                                                                        \
        return whose##_rows_##kind(g, row, columns);
        PAPER_ROW_KINDS(X)
#undef X
        default:
            return 0;
    }
}

static inline int64_t paper_row_count(const tulle__rows_args *g, int64_t row) {
    return paper_row_columns(g, row, (tulle__columns){NULL, NULL});
}

static inline double paper_row_value(const tulle__rows_args *g, int64_t row, int64_t column) {
    switch (g->kind) {
#define X(whose, kind)                                                                             \
    case PAPER_ROWS_##kind:                                                                        \
        return whose##_value_##kind(g, row, column);
        PAPER_ROW_KINDS(X)
#undef X
        default:
            return 0;
    }
}

#endif
