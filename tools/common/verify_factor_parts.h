/* SPDX-License-Identifier: Apache-2.0 */
/* The check of factors is made of these parts: making A', checking the pattern, measuring the
 * diagonal blocks, and comparing the numbers. */
#ifndef TOOL_VERIFY_FACTOR_PARTS_H
#define TOOL_VERIFY_FACTOR_PARTS_H

#include "tools/common/verify_factor.h"

/* Factors and the A' that they belong to. */
typedef struct tool_factored {
    const tool_factor_claim *claim;
    int64_t blocks; /* number of block rows */
    tool_csr a;     /* A' by scalar rows, of whole blocks, not shifted; owned */
    const tool_csr *l, *u;
    /* the factors are L L^T: only entries on and below the diagonal are stored */
    bool symmetric;
    double products; /* number of products of blocks, in all rows */
    /* for each diagonal block of U, its largest magnitude, and the largest row sum of its
     * inverse */
    long double *largest, *inverse;
    /* the largest condition number of a diagonal block, in row sums */
    long double condition;
} tool_factored;

/* Returns the place in U of the first entry of a row behind the diagonal. */
static inline int64_t tool_behind_diagonal(const tool_factored *f, int64_t row) {
    return tool_csr_offset(f->u, row) + 1;
}

/* Makes A' of a claim. Where all fill is kept, its pattern is that of A' and its transpose. */
tool_csr tool_factor_matrix(const tool_factor_claim *claim, int64_t blocks);

/* Checks that L and U are triangles with all of their diagonals and with columns that rise, and
 * that the L of L U has ones on its diagonal. */
tool_entry_error tool_factor_shape(const tool_factor_claim *claim, int64_t blocks);

/* Checks that the pattern has all entries that the level of fill keeps, and no others; and counts
 * products. Needs a, l and u. Fails with TULLE_CANCELLED alone. */
tulle_status tool_factor_pattern(tool_factored *f, tool_entry_error *found);

/* Fills in largest, inverse and condition. */
void tool_factor_diagonals(tool_factored *f);

/* Finds the worst number. Needs all of f. Fails with TULLE_CANCELLED alone. */
tulle_status tool_factor_numbers(const tool_factored *f, tool_entry_error *found);

#endif
