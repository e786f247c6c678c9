/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/spmv.h"

#include "spmv/choice.h"
#include "spmv/dispatch.h"
#include "spmv/product.h"

static tulle_status check_vector(const tulle_vec *v, const char *name) {
    if (v->cols == 1 && (v->layout == TULLE_COLUMN_MAJOR || v->ld == 1)) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, "tulle_spmv", name, -1,
                       "%s is %lld x %lld with leading dimension %lld; it must be a vector", name,
                       (long long)v->rows, (long long)v->cols, (long long)v->ld);
}

static tulle_status check(const tulle__operands *o) {
    TULLE__TRY(check_vector(o->x, o->x_name));
    TULLE__TRY(check_vector(o->y, o->y_name));
    TULLE__TRY(tulle__check_operands(o));
    return tulle__check_apart(o);
}

/* Makes operands in the order of the public function's arguments. */
static tulle__operands operands(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                const tulle_mat *A, const tulle_vec *x, tulle_scalar beta,
                                const tulle_vec *y) {
    return (tulle__operands){.function = "tulle_spmv",
                             .ctx = ctx,
                             .op = op,
                             .A = A,
                             .alpha = alpha,
                             .beta = beta,
                             .x = x,
                             .y = y,
                             .x_name = "x",
                             .y_name = "y"};
}

tulle_status tulle_spmv(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha, const tulle_mat *A,
                        const tulle_vec *x, tulle_scalar beta, tulle_vec *y) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(x);
    TULLE__NEED(y);
    if (op != TULLE_N && op != TULLE_T) return TULLE__BAD("op", "op is TULLE_N or TULLE_T");
    tulle__operands o = operands(ctx, op, alpha, A, x, beta, y);
    TULLE__TRY(check(&o));
    tulle__spmv_call call = tulle__one_vector(op);
    tulle_status status = tulle__spmv_product(&o, &call);
    return status == TULLE_UNSUPPORTED ? tulle__spmv_none(ctx, __func__, A, &call) : status;
}

tulle_status tulle__spmv_with(tulle_ctx *ctx, const tulle__spec *spec, tulle_trans op,
                              tulle_scalar alpha, const tulle_mat *A, const tulle_vec *x,
                              tulle_scalar beta, tulle_vec *y) {
    tulle__operands o = operands(ctx, op, alpha, A, x, beta, y);
    TULLE__TRY(check(&o));
    tulle__spmv_call call = tulle__one_vector(op);
    tulle__spmv_selection selection = {.spec = *spec,
                                       .shape = tulle__spmv_shape_now(ctx, A, &call),
                                       .pattern = A->pattern,
                                       .values = A->values.data};
    selection.workspace = tulle__spmv_workspace(spec, &selection.shape);
    return tulle__run_selection(&o, &selection);
}

tulle_status tulle_spmv_reserve(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__choice_check(__func__, ctx, op, A));
    tulle__spmv_call call = tulle__one_vector(op);
    size_t most = 0;
    for (tulle__stage stage = tulle__spmv_first_stage(ctx, &call);
         stage <= tulle__spmv_last_stage(ctx, &call); stage++) {
        tulle__spmv_selection selection;
        tulle_status status = tulle__spmv_select(ctx, A, &call, stage, &selection);
        if (status == TULLE_UNSUPPORTED) continue;
        TULLE__TRY(status);
        if (selection.workspace > most) most = selection.workspace;
        tulle__spmv_unselect(&selection);
    }
    void *workspace = NULL;
    return tulle__workspace(ctx, most, &workspace);
}
