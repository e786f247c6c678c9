/* SPDX-License-Identifier: Apache-2.0 */
/* The check of factors by what they must be: L U, or L L^T, is A' on the pattern that was asked
 * for. Row by row, in long double. */
#ifndef TOOL_VERIFY_FACTOR_H
#define TOOL_VERIFY_FACTOR_H

#include "tools/common/verify_rows.h"
#include "tulle/factor.h"

/* Factors as tulle_factor_export gives them. Rows, columns and entries of L and U are those of
 * blocks, which stand in values as in BSR. */
typedef struct tool_factor_claim {
    const tool_csr *A; /* CSR or DCSR: all that is read of A, and its mirror where that counts */
    const tool_csr *L, *U; /* U: NULL for TULLE_CHOLESKY */
    int block;
    const tulle_factor_options *options; /* what it points to is not looked at */
    const int64_t *order;                /* of block rows, or NULL */
    int64_t boosted;                     /* pivots that were changed, as tulle_factor_status says */
} tool_factor_claim;

/* The first fault of the pattern, else the worst entry of A' - L U, in units of the bound of
 * tulle/factor.h; rows and columns are those of A'. got: the last product of (L U)_ij, that with
 * U_jj or with L_ii; want: A'_ij less the others. In the bound, m are the rows before that have a
 * part in the entry. Added to it is what factor.h takes as given: that
 * A' is itself rounded, where it is shifted or narrowed; what underflows when L's entries are
 * divided; and, of modified factors, what is dropped, as part of the diagonal. As many diagonal
 * blocks as pivots were changed may be off. Where something overflows, only what is not finite by
 * itself is wrong. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_factor(const tool_factor_claim *claim, tool_entry_error *found);

/* The memory that takes, for so many rows and entries of A, and entries (blocks) of L and of U
 * together; at most INT64_MAX. */
int64_t tool_verify_factor_bytes(int64_t rows, int64_t nnz, int64_t factors, int block);

#endif
