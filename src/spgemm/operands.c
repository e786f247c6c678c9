/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/operand.h"
#include "spgemm/product.h"

tulle_status tulle__spgemm_bring(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                 const tulle_mat *A, const tulle_mat *B, const tulle_mat *mask,
                                 tulle_index index, tulle__spgemm_operands *operands) {
    tulle_index common = tulle__wider(index, tulle__wider(A->pattern->index, B->pattern->index));
    if (mask) common = tulle__wider(common, mask->pattern->index);
    *operands = (tulle__spgemm_operands){.mask = NULL};
    tulle_status status = tulle__operand_bring(ctx, op_A, A, common, &operands->a);
    if (status == TULLE_OK && A == B && op_A == op_B) {
        operands->b = tulle_mat_retain(operands->a);
    } else if (status == TULLE_OK) {
        status = tulle__operand_bring(ctx, op_B, B, common, &operands->b);
    }
    if (status == TULLE_OK) status = tulle__operand_raise(ctx, &operands->b);
    if (status == TULLE_OK && mask) {
        status = tulle__operand_bring(ctx, TULLE_N, mask, common, &operands->mask);
        if (status == TULLE_OK) status = tulle__operand_raise(ctx, &operands->mask);
    }
    if (status != TULLE_OK) tulle__spgemm_let_go(operands);
    return status;
}

void tulle__spgemm_let_go(tulle__spgemm_operands *operands) {
    tulle_mat_destroy(operands->a);
    tulle_mat_destroy(operands->b);
    tulle_mat_destroy(operands->mask);
    *operands = (tulle__spgemm_operands){.mask = NULL};
}
