/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a matrix (tulle/facts.h) in the making. */
#ifndef TULLE_MATRIX_FACTS_H
#define TULLE_MATRIX_FACTS_H

#include "format/view.h"
#include "tulle/facts.h"

/* Block sizes of which one pass over rows bounds how full the blocks are: a row has an entry in
 * `pieces` blocks of b columns, and a block has at most b such pieces. Blocks of a multiple of b
 * are never fuller than those of b. */
#define TULLE__FACT_BLOCKS                                                                         \
    { 2, 3, 5 }
enum { TULLE__FACT_BLOCK_COUNT = 3 };

/* Counts of the facts, which a pass over the rows and a pass over the pairs of entries add up. Each
 * is a sum, a least or a greatest number, so their order is of no account. */
typedef struct tulle__fact_counts {
    int64_t diagonal, diagonal_zero, diagonal_positive, not_dominant, zeros, not_finite;
    int64_t off_positive, uneven;
    int64_t mirrored, equal, alike, near, opposite, indefinite_pairs; /* entries off the diagonal */
    int64_t above; /* entries above the diagonal, of a square matrix */
    int64_t runs;  /* entries of which the column before has none in the row; only on a CPU */
    int64_t aside[TULLE__FACT_BLOCK_COUNT];  /* runs whose first column is no multiple of the
                                                block size; only on a CPU */
    int64_t pieces[TULLE__FACT_BLOCK_COUNT]; /* upper bounds where no blocks are full anyway */
    int64_t empty_diagonal;    /* first row whose diagonal entry is 0 or missing; INT64_MAX: none */
    int64_t bad;               /* first entry that is Inf or NaN; INT64_MAX: none */
    int64_t bad_row, bad_col;  /* its row and column, found at the end; -1: none */
    int64_t smallest, largest; /* bits of the f64 numbers, which are in the order of the numbers;
                                  smallest: INT64_MAX: none */
    int64_t unlike;            /* 1 when a pass ended early because an entry is not near */
} tulle__fact_counts;

/* A matrix whose facts are counted. */
typedef struct tulle__fact_job {
    const tulle__pattern_view *csr; /* columns ascend and are not repeated */
    tulle_type type;
    const void *values;
    bool square; /* true when entries are compared with their mirror images */
    bool whole;  /* false: one entry that is not near may end the comparison */
} tulle__fact_job;

static inline tulle__fact_counts tulle__fact_counts_start(void) {
    tulle__fact_counts counts = {0};
    counts.empty_diagonal = counts.bad = counts.smallest = INT64_MAX;
    counts.bad_row = counts.bad_col = -1;
    return counts;
}

/* tulle_mat_facts. Unless `whole`, the comparison of a_ij with a_ji may stop at the first entry
 * that is known not to be near: symmetric and nearly_symmetric are false then, and mirrored, equal,
 * alike, near, opposite and indefinite_pairs say nothing. */
tulle_status tulle__mat_facts(tulle_ctx *ctx, const tulle_mat *A, bool whole, tulle_facts *facts);

#endif
