/* SPDX-License-Identifier: Apache-2.0 */
/* The check of factors is made of these parts: A', the pattern, the diagonal blocks, and the
 * numbers. */
#ifndef TOOL_VERIFY_FACTOR_PARTS_H
#define TOOL_VERIFY_FACTOR_PARTS_H

#include "tools/common/verify_factor.h"

/* Factors with A' beside them. */
typedef struct tool_factored {
    const tool_factor_claim *claim;
    int64_t blocks; /* block rows */
    tool_csr a;     /* A' by scalar rows, of whole blocks, not shifted; owned */
    const tool_csr *l, *u;
    bool symmetric;                 /* L L^T: only what stands on and below the diagonal is there */
    double products;                /* of blocks, in all rows */
    long double *largest, *inverse; /* of each diagonal block of U: its largest number, and the
                                       largest row sum of its inverse */
    long double condition;          /* the largest of them, in row sums */
} tool_factored;

/* The column that stands first in row i of U behind the diagonal is at this place of U. */
static inline int64_t tool_behind_diagonal(const tool_factored *f, int64_t row) {
    return tool_csr_offset(f->u, row) + 1;
}

/* A' of a claim. Where all fill is kept, its pattern is that of A' and its transpose. */
tool_csr tool_factor_matrix(const tool_factor_claim *claim, int64_t blocks);

/* Checks that L and U are triangles, with all of their diagonals and columns that rise, and that L
 * of L U has ones there. */
tool_entry_error tool_factor_shape(const tool_factor_claim *claim, int64_t blocks);

/* Checks that the pattern is what the level of fill keeps, no more and no less; and counts
 * products. Needs a, l and u. Fails with TULLE_CANCELLED alone. */
tulle_status tool_factor_pattern(tool_factored *f, tool_entry_error *found);

/* Fills largest, inverse and condition. */
void tool_factor_diagonals(tool_factored *f);

/* The worst number. Needs all of f. Fails with TULLE_CANCELLED alone. */
tulle_status tool_factor_numbers(const tool_factored *f, tool_entry_error *found);

#endif
