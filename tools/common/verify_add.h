/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a sparse sum and a transpose against their naive definitions. */
#ifndef TOOL_VERIFY_ADD_H
#define TOOL_VERIFY_ADD_H

#include "tools/common/verify_rows.h"

/* Claims that C = alpha op(A) + beta op(B); C is CSR, and the columns of each row rise. */
typedef struct tool_add_claim {
    const tool_csr *A, *B, *C;
    tulle_trans op_A, op_B;
    double alpha, beta;
} tool_add_claim;

/* Checks the claim row by row, with a dense accumulator for each thread: the pattern exactly,
 * values by the error bound of tulle/add.h. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_add(const tool_add_claim *claim, tool_entry_error *found);

/* Compares B, CSR or DCSR, with A's entries sorted by column, where entries of a column keep their
 * order: each entry must be in its place, with the same bits. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_transpose(const tool_csr *A, const tool_csr *B, tool_entry_error *found);

#endif
