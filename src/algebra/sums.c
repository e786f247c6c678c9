/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_sums: sums of the rows of a matrix. */
#include "algebra/sums.h"

#include "algebra/functions.h"
#include "algebra/vector.h"
#include "matrix/operand.h"

static tulle_status check_kind(const char *function, tulle_sum_kind kind) {
    if (kind == TULLE_SUM_VALUES || kind == TULLE_SUM_SIZES || kind == TULLE_SUM_LARGEST) {
        return TULLE_OK;
    }
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "kind", -1,
                       "kind is TULLE_SUM_VALUES, TULLE_SUM_SIZES or TULLE_SUM_LARGEST");
}

static tulle_status check(const char *function, const tulle_ctx *ctx, tulle_trans op,
                          const tulle_mat *A, tulle_sum_kind kind, const tulle_vec *y) {
    const tulle__operand sums = {"y", y};
    TULLE__TRY(tulle__check_op(function, "op", op));
    TULLE__TRY(check_kind(function, kind));
    TULLE__TRY(tulle__check_space(function, ctx, A));
    TULLE__TRY(tulle__check_vector_of(function, ctx, sums, tulle__op_rows(op, A), A));
    return tulle__check_rows_fit(function, "A", ctx, op, A);
}

tulle_status tulle_mat_sums(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, tulle_sum_kind kind,
                            tulle_vec *y) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(y);
    TULLE__TRY(check(__func__, ctx, op, A, kind, y));
    if (y->rows == 0) return TULLE_OK;
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__operand_bring(ctx, op, A, A->pattern->index, &csr));
    const tulle__pattern_view view = tulle__view_of(csr->pattern);
    const tulle__summing job = {
        .csr = &view, .type = csr->type, .values = csr->values.data, .kind = kind, .y = y->data};
    const tulle_status status = ctx->backend->algebra->sum_rows(&ctx->place, &job);
    tulle_mat_destroy(csr);
    return status;
}
