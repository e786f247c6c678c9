/* SPDX-License-Identifier: Apache-2.0 */
/* Checks factors by their definition: L U, or L L^T, equals A' on the pattern that the user asked
 * for. The check goes row by row, in long double. */
#ifndef TOOL_VERIFY_FACTOR_H
#define TOOL_VERIFY_FACTOR_H

#include "tools/common/verify_rows.h"
#include "tulle/factor.h"

/* Claims that factors belong to A; the factors are as tulle_factor_export gives them. Rows, columns
 * and entries of L and U are those of blocks, which stand in values as in BSR. */
typedef struct tool_factor_claim {
    /* CSR or DCSR: all entries that the factors read of A, and their mirror images where those
     * count */
    const tool_csr *A;
    const tool_csr *L, *U; /* factors; U is NULL for TULLE_CHOLESKY */
    int block;
    /* options of the factors; arrays that the options point to are not read */
    const tulle_factor_options *options;
    /* order of the block rows; NULL: they were not reordered */
    const int64_t *order;
    /* number of pivots that were changed, by tulle_factor_status */
    int64_t boosted;
} tool_factor_claim;

/* Finds the first fault of the pattern, else the worst entry of A' - L U, in units of the bound
 * of tulle/factor.h; rows and columns are those of A'. `got` is the last product of (L U)_ij,
 * that with U_jj or with L_ii; `want` is A'_ij less the other products. In the bound, m is the
 * number of earlier rows that have a part in the entry. The bound grows by the errors that
 * factor.h takes as given: A' itself is rounded, where it is shifted or narrowed; quotients
 * underflow when L's entries are divided; and, in modified factors, dropped entries are part of
 * the diagonal. As many diagonal blocks as pivots were changed may be off. Where numbers
 * overflow, only a number is wrong that is not finite though the numbers that it comes from are.
 * Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_factor(const tool_factor_claim *claim, tool_entry_error *found);

/* Returns the bytes that the check takes, for so many rows and entries of A, and entries (blocks)
 * of L and of U together; at most INT64_MAX. */
int64_t tool_verify_factor_bytes(int64_t rows, int64_t nnz, int64_t factors, int block);

#endif
