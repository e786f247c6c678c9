/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions that compute element by element. */
#include "matrix/operand.h"
#include "vector/functions.h"
#include "vector/operands.h"

/* The arguments of one call. A function without a Y has X in its place. */
typedef struct call {
    const char *function;
    tulle_ctx *ctx;
    tulle__operand x, y, out;
} call;

static tulle_status check(const call *a, const tulle__elementwise *e) {
    const tulle_vec *X = a->x.X;
    TULLE__TRY(tulle__operand_check(a->function, a->ctx, a->x, X->rows, X->cols, e->from));
    TULLE__TRY(tulle__operand_check(a->function, a->ctx, a->y, X->rows, X->cols, e->from));
    TULLE__TRY(tulle__operand_check(a->function, a->ctx, a->out, X->rows, X->cols, e->to));
    TULLE__TRY(tulle__operand_apart(a->function, a->out, a->x));
    TULLE__TRY(tulle__operand_apart(a->function, a->out, a->y));
    TULLE__TRY(tulle__address_check(a->function, "alpha", e->alpha.address, 1, e->from, a->out));
    return tulle__address_check(a->function, "beta", e->beta.address, 1, e->from, a->out);
}

static tulle_status run(const call *a, tulle__elementwise e) {
    e.rows = a->x.X->rows;
    e.cols = a->x.X->cols;
    e.from = a->x.X->type;
    e.to = e.what == TULLE__EACH_COPY ? a->out.X->type : e.from;
    e.x = tulle__strided_of(a->x.X);
    e.y = tulle__strided_of(a->y.X);
    e.z = tulle__strided_of(a->out.X);
    TULLE__TRY(check(a, &e));
    if (e.rows == 0 || e.cols == 0) return TULLE_OK;
    TULLE__TRY(tulle__scalar_lend(a->ctx, e.alpha, e.from));
    tulle_status status = tulle__scalar_lend(a->ctx, e.beta, e.from);
    if (status == TULLE_OK) {
        status = a->ctx->backend->vector->elementwise(&a->ctx->place, &e);
        tulle__scalar_give_back(a->ctx, e.beta);
    }
    tulle__scalar_give_back(a->ctx, e.alpha);
    return status;
}

tulle_status tulle_vec_axpby(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                             tulle_scalar beta, tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    const call a = {__func__, ctx, {"X", X}, {"Y", Y}, {"Y", Y}};
    return run(&a, (tulle__elementwise){.what = TULLE__EACH_AXPBY, .alpha = alpha, .beta = beta});
}

tulle_status tulle_vec_axpy(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X, tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    const call a = {__func__, ctx, {"X", X}, {"Y", Y}, {"Y", Y}};
    return run(
        &a, (tulle__elementwise){.what = TULLE__EACH_AXPBY, .alpha = alpha, .beta = tulle_num(1)});
}

tulle_status tulle_vec_scale(tulle_ctx *ctx, tulle_scalar alpha, tulle_vec *X) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    const call a = {__func__, ctx, {"X", X}, {"X", X}, {"X", X}};
    return run(&a, (tulle__elementwise){.what = TULLE__EACH_SCALE, .alpha = alpha});
}

tulle_status tulle_vec_copy(tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    const call a = {__func__, ctx, {"X", X}, {"X", X}, {"Y", Y}};
    return run(&a, (tulle__elementwise){.what = TULLE__EACH_COPY});
}

tulle_status tulle_vec_multiply(tulle_ctx *ctx, const tulle_vec *X, const tulle_vec *Y,
                                tulle_vec *Z) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    TULLE__NEED(Z);
    const call a = {__func__, ctx, {"X", X}, {"Y", Y}, {"Z", Z}};
    return run(&a, (tulle__elementwise){.what = TULLE__EACH_MULTIPLY});
}

tulle_status tulle_vec_divide(tulle_ctx *ctx, const tulle_vec *X, const tulle_vec *Y,
                              tulle_vec *Z) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    TULLE__NEED(Z);
    const call a = {__func__, ctx, {"X", X}, {"Y", Y}, {"Z", Z}};
    return run(&a, (tulle__elementwise){.what = TULLE__EACH_DIVIDE});
}
