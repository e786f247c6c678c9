/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/reformat.h"
#include "spgemm/product.h"

static tulle_index wider(tulle_index a, tulle_index b) {
    return a > b ? a : b;
}

/* op(A) as CSR; one that is that already has one owner more. */
static tulle_status bring(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, tulle_index index,
                          tulle_mat **csr) {
    tulle_mat *turned = NULL;
    if (op == TULLE_T) TULLE__TRY(tulle_mat_transpose(ctx, A, &turned));
    tulle_status status = tulle__as_csr(ctx, turned ? turned : A, index, false, csr);
    tulle_mat_destroy(turned);
    return status;
}

/* The same with rising columns: repeated ones become their sum. */
static tulle_status raise(tulle_ctx *ctx, tulle_mat **csr) {
    tulle_mat *given = *csr;
    if (given->pattern->stats.rising) return TULLE_OK;
    *csr = NULL;
    tulle_status status = tulle__as_csr(ctx, given, given->pattern->index, true, csr);
    tulle_mat_destroy(given);
    return status;
}

tulle_status tulle__spgemm_bring(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                 const tulle_mat *A, const tulle_mat *B, tulle_index index,
                                 tulle__spgemm_operands *operands) {
    tulle_index common = wider(index, wider(A->pattern->index, B->pattern->index));
    *operands = (tulle__spgemm_operands){NULL, NULL};
    tulle_status status = bring(ctx, op_A, A, common, &operands->a);
    if (status == TULLE_OK && A == B && op_A == op_B) {
        operands->b = tulle_mat_retain(operands->a);
    } else if (status == TULLE_OK) {
        status = bring(ctx, op_B, B, common, &operands->b);
    }
    if (status == TULLE_OK) status = raise(ctx, &operands->b);
    if (status != TULLE_OK) tulle__spgemm_let_go(operands);
    return status;
}

void tulle__spgemm_let_go(tulle__spgemm_operands *operands) {
    tulle_mat_destroy(operands->a);
    tulle_mat_destroy(operands->b);
    *operands = (tulle__spgemm_operands){NULL, NULL};
}
