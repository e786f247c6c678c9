/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/spmm.h"

#include "spmv/product.h"

static tulle_status check(const tulle__operands *o) {
    TULLE__TRY(tulle__check_operands(o));
    if (o->x->cols != o->y->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, o->function, o->y_name, -1,
                           "Y has %lld columns and X has %lld", (long long)o->y->cols,
                           (long long)o->x->cols);
    }
    return tulle__check_apart(o);
}

static const void *column_of(const tulle_vec *v, int64_t j) {
    return (const char *)v->data + j * v->ld * tulle_type_size(v->type);
}

/* Multiplies column after column of column-major multivectors, as tulle_spmv does. */
static tulle_status by_columns(const tulle__operands *o) {
    tulle__spmv_call call = tulle__one_vector(o->op);
    tulle_vec x = *o->x, y = *o->y;
    tulle__operands one = *o;
    x.cols = y.cols = 1;
    one.x = &x;
    one.y = &y;
    for (int64_t j = 0; j < o->x->cols; j++) {
        x.data = (void *)(uintptr_t)column_of(o->x, j);
        y.data = (void *)(uintptr_t)column_of(o->y, j);
        TULLE__TRY(tulle__spmv_product(&one, &call));
    }
    return TULLE_OK;
}

tulle_status tulle_spmm(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha, const tulle_mat *A,
                        const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    if (op != TULLE_N && op != TULLE_T) return TULLE__BAD("op", "op is TULLE_N or TULLE_T");
    tulle__operands o = {.function = __func__,
                         .ctx = ctx,
                         .op = op,
                         .A = A,
                         .alpha = alpha,
                         .beta = beta,
                         .x = X,
                         .y = Y,
                         .x_name = "X",
                         .y_name = "Y"};
    TULLE__TRY(check(&o));
    if (Y->rows == 0 || Y->cols == 0) return TULLE_OK;
    tulle__spmv_call call = tulle__multivector_call(op, X, Y);
    tulle_status status = tulle__spmv_product(&o, &call);
    if (status == TULLE_UNSUPPORTED && tulle__spmv_by_columns(ctx, &call)) status = by_columns(&o);
    return status == TULLE_UNSUPPORTED ? tulle__spmv_none(ctx, __func__, A, &call) : status;
}
