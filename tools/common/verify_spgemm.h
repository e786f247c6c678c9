/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a sparse product against the naive definition in long double. */
#ifndef TOOL_VERIFY_SPGEMM_H
#define TOOL_VERIFY_SPGEMM_H

#include "tools/common/verify_rows.h"

/* The worst entry of C, in units of the error bound of tulle/spgemm.h. */
typedef tool_entry_error tool_spgemm_error;

/* Claims that C = alpha op(A) op(B) + beta D, with the product at the places of a mask alone or
 * everywhere; C is CSR. */
typedef struct tool_spgemm_claim {
    const tool_csr *A, *B, *C;
    tulle_trans op_A, op_B;
    double alpha;
    bool rising;       /* the columns of each row of C must rise */
    const tool_csr *D; /* matrix that is added; NULL: none */
    double beta;
    const tool_csr *mask; /* NULL: there is none */
    bool galerkin;        /* the product is alpha B^T A B; op_A and op_B are TULLE_N */
} tool_spgemm_claim;

/* Checks the claim row by row, with a dense accumulator for each thread: the pattern exactly,
 * values by their bound. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_spgemm(const tool_spgemm_claim *claim, tool_spgemm_error *found);

/* Returns the bytes that the check takes beside its operands, where C has so many columns; at most
 * INT64_MAX. */
int64_t tool_verify_spgemm_bytes(int64_t cols);

/* Returns the bytes of the sorted copy of an operand that is transposed (turned), or DCSR
 * (compressed); at most INT64_MAX. */
int64_t tool_verify_operand_bytes(int64_t rows, int64_t nnz, bool turned, bool compressed);

#endif
