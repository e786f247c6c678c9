/* SPDX-License-Identifier: Apache-2.0 */
#include "operator/columns.h"

#include "matrix/operand.h"
#include "vector/operands.h"

static tulle_status run(const tulle_linop *L, tulle__column *c, const tulle_vec *X,
                        const tulle_vec *Y, tulle__column_act *act) {
    const tulle__strided x = tulle__strided_of(X), y = tulle__strided_of(Y);
    const int64_t size = tulle_type_size(L->type);
    c->x_step = x.row;
    c->y_step = y.row;
    for (int64_t k = 0; k < X->cols; k++) {
        c->x = (const char *)x.data + k * x.col * size;
        c->y = (char *)y.data + k * y.col * size;
        TULLE__TRY(act(L, c));
    }
    return TULLE_OK;
}

tulle_status tulle__columns_apply(tulle_ctx *ctx, const tulle_linop *L, tulle_trans op,
                                  tulle_scalar alpha, const tulle_vec *X, tulle_scalar beta,
                                  tulle_vec *Y, tulle__column_act *act) {
    tulle__column c = {.ctx = ctx, .op = op, .alpha = alpha, .beta = beta};
    TULLE__TRY(tulle__scalar_lend(ctx, alpha, L->type));
    tulle_status status = tulle__scalar_lend(ctx, beta, L->type);
    if (status == TULLE_OK) {
        status = run(L, &c, X, Y, act);
        tulle__scalar_give_back(ctx, beta);
    }
    tulle__scalar_give_back(ctx, alpha);
    return status;
}

tulle_status tulle__columns_diagonal(tulle_ctx *ctx, const tulle_linop *L, tulle_vec *d,
                                     tulle__column_act *act) {
    const tulle__column c = {.ctx = ctx,
                             .diagonal = true,
                             .alpha = tulle_num(1),
                             .beta = tulle_num(0),
                             .y = d->data,
                             .y_step = tulle__strided_of(d).row};
    return act(L, &c);
}

tulle_status tulle__check_atomic(const char *function, const tulle_ctx *ctx, bool atomic,
                                 const char *what) {
    if (!atomic || !ctx->repeatable) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "options", -1,
                       "%s not repeat bitwise, which the context asks for", what);
}
