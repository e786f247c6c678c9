/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_vec_permute and its inverse. */
#include <inttypes.h>

#include "core/types.h"
#include "dense/dense.h"
#include "dense/functions.h"
#include "dense/gather.h"
#include "order/order.h"

static tulle_status check_block(const char *function, const tulle_ctx *ctx, const tulle_order *P,
                                const tulle_vec *X, const char *name) {
    if (!tulle__same_space(ctx, X->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, name, -1,
                           "%s lives on another device than the context", name);
    }
    if (X->rows == P->length) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, name, -1,
                       "%s has %" PRId64 " rows; the order has %" PRId64 " numbers", name, X->rows,
                       P->length);
}

static tulle_status check(const char *function, const tulle_ctx *ctx, const tulle_order *P,
                          const tulle_vec *X, const tulle_vec *Y) {
    TULLE__TRY(tulle__order_check(function, ctx, P, "P", P->length, "rows"));
    TULLE__TRY(check_block(function, ctx, P, X, "X"));
    TULLE__TRY(check_block(function, ctx, P, Y, "Y"));
    if (X->cols != Y->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "Y", -1,
                           "Y has %" PRId64 " columns, X has %" PRId64, Y->cols, X->cols);
    }
    if (X->type != Y->type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, function, "Y", -1, "X and Y have different types");
    }
    if (tulle__dense_overlap(X, Y))
        return tulle__fail(TULLE_ALIASED, function, "Y", -1, "Y overlaps X");
    return TULLE_OK;
}

static int64_t row_step(const tulle_vec *X) {
    return X->layout == TULLE_ROW_MAJOR ? X->ld : 1;
}
static int64_t col_step(const tulle_vec *X) {
    return X->layout == TULLE_ROW_MAJOR ? 1 : X->ld;
}

static tulle_status gather(const char *function, tulle_ctx *ctx, const tulle_order *P,
                           const int64_t *order, const tulle_vec *X, tulle_vec *Y) {
    TULLE__TRY(check(function, ctx, P, X, Y));
    tulle__gather job = {.rows = X->rows,
                         .cols = X->cols,
                         .order_size = sizeof *order,
                         .order = order,
                         .item_size = tulle_type_size(X->type),
                         .from = X->data,
                         .from_row = row_step(X),
                         .from_col = col_step(X),
                         .to = Y->data,
                         .to_row = row_step(Y),
                         .to_col = col_step(Y)};
    return ctx->backend->dense->gather_rows(&ctx->place, &job);
}

tulle_status tulle_vec_permute(tulle_ctx *ctx, const tulle_order *P, const tulle_vec *X,
                               tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(P);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    return gather(__func__, ctx, P, P->order, X, Y);
}

tulle_status tulle_vec_unpermute(tulle_ctx *ctx, const tulle_order *P, const tulle_vec *X,
                                 tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(P);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    return gather(__func__, ctx, P, P->inverse, X, Y);
}
