/* SPDX-License-Identifier: Apache-2.0 */
#include "operator/linop.h"

#include "comm/comm.h"
#include "matrix/operand.h"
#include "tulle/vec.h"
#include "vector/operands.h"

tulle_status tulle__linop_make(tulle_ctx *ctx, const tulle__linop_kind *kind, tulle_type type,
                               int64_t rows, int64_t cols, tulle_linop **L) {
    tulle_linop *made = tulle__host_alloc(ctx, kind->bytes);
    *L = NULL;
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->kind = kind;
    atomic_init(&made->owners, 1);
    made->ctx = ctx;
    made->rows = rows;
    made->cols = cols;
    made->type = type;
    made->capturable = true;
    made->has_diagonal = kind->diagonal;
    tulle__ctx_retain(ctx);
    *L = made;
    return TULLE_OK;
}

tulle_linop *tulle__linop_retain(tulle_linop *L) {
    if (L) atomic_fetch_add(&L->owners, 1);
    return L;
}

void tulle_linop_destroy(tulle_linop *L) {
    if (!L || atomic_fetch_sub(&L->owners, 1) > 1) return;
    tulle_ctx *ctx = L->ctx;
    if (L->kind->destroy) L->kind->destroy(L);
    tulle__host_free(ctx, L);
    tulle__ctx_release(ctx);
}

tulle_status tulle__linop_check(const char *function, const char *name, const tulle_ctx *ctx,
                                const tulle_linop *L) {
    if (tulle__same_space(ctx, L->ctx)) return TULLE_OK;
    return tulle__fail(TULLE_SPACE_MISMATCH, function, name, -1,
                       "%s lives on %s, the context on %s", name, L->ctx->info.name,
                       ctx->info.name);
}

tulle_status tulle__linop_check_square(const char *function, const char *name,
                                       const tulle_linop *L) {
    if (L->rows == L->cols) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, name, -1,
                       "%s is %lld x %lld; it must be square", name, (long long)L->rows,
                       (long long)L->cols);
}

tulle_status tulle__linop_run(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                              const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    return L->kind->apply(ctx, L, op, alpha, X, beta, Y);
}

static tulle_status check_apply(const tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                const tulle_linop *L, const tulle_vec *X, tulle_scalar beta,
                                const tulle_vec *Y) {
    static const char *const function = "tulle_linop_apply";
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, X);
    TULLE__NEED_OF(function, Y);
    TULLE__TRY(tulle__check_op(function, "op", op));
    TULLE__TRY(tulle__linop_check(function, "L", ctx, L));
    if (op == TULLE_T && !L->transposes) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "op", -1,
                           "this operator (%s) cannot be applied transposed", L->kind->name);
    }
    const int64_t from = op == TULLE_N ? L->cols : L->rows, to = op == TULLE_N ? L->rows : L->cols;
    const tulle__operand x = {"X", X}, y = {"Y", Y};
    TULLE__TRY(tulle__operand_check(function, ctx, x, from, X->cols, L->type));
    TULLE__TRY(tulle__operand_check(function, ctx, y, to, X->cols, L->type));
    TULLE__TRY(tulle__address_check(function, "alpha", alpha.address, 1, L->type, y));
    TULLE__TRY(tulle__address_check(function, "beta", beta.address, 1, L->type, y));
    if (!tulle__dense_overlap(X, Y)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, function, "Y", -1, "Y overlaps X");
}

tulle_status tulle_linop_apply(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha, tulle_linop *L,
                               const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    TULLE__NEED(L);
    const tulle_status status = check_apply(ctx, op, alpha, L, X, beta, Y);
    TULLE__TRY(tulle__comm_spoil(L->comm, status));
    if ((Y->rows == 0 && !L->comm) || X->cols == 0) return TULLE_OK;
    return tulle__comm_spoil(L->comm, tulle__linop_run(ctx, L, op, alpha, X, beta, Y));
}

/* Gets the diagonal into a vector whose numbers are apart, by way of one whose numbers follow each
 * other, because kinds of operators write only the latter. */
static tulle_status strided_diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    tulle_vec *own;
    TULLE__TRY(tulle_vec_create(ctx, L->type, L->rows, &own));
    tulle_status status = L->kind->diagonal(ctx, L, own);
    if (status == TULLE_OK) status = tulle_vec_copy(ctx, own, d);
    tulle_vec_destroy(own);
    return status;
}

tulle_status tulle_linop_get_diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    TULLE__NEED(ctx);
    TULLE__NEED(L);
    TULLE__NEED(d);
    TULLE__TRY(tulle__linop_check(__func__, "L", ctx, L));
    TULLE__TRY(tulle__linop_check_square(__func__, "L", L));
    TULLE__TRY(tulle__operand_check(__func__, ctx, (tulle__operand){"d", d}, L->rows, 1, L->type));
    if (!L->has_diagonal) {
        return tulle__fail(TULLE_UNSUPPORTED, __func__, "L", -1,
                           "this operator (%s) does not know its diagonal", L->kind->name);
    }
    if (L->rows == 0) return TULLE_OK;
    return tulle__strided_of(d).row == 1 ? L->kind->diagonal(ctx, L, d)
                                         : strided_diagonal(ctx, L, d);
}

tulle_status tulle_linop_renew(tulle_ctx *ctx, tulle_linop *L) {
    TULLE__NEED(ctx);
    TULLE__NEED(L);
    TULLE__TRY(tulle__linop_check(__func__, "L", ctx, L));
    L->renewals++;
    return L->kind->renew ? tulle__comm_spoil(L->comm, L->kind->renew(ctx, L)) : TULLE_OK;
}

bool tulle__linop_is_capturable(const tulle_linop *L) {
    return L->kind->capturable ? L->kind->capturable(L) : L->capturable;
}

uint64_t tulle__linop_stamp(tulle_ctx *ctx, const tulle_linop *L) {
    return L->kind->stamp ? L->kind->stamp(ctx, L) : 0;
}

tulle_status tulle__linop_residual(tulle_ctx *ctx, tulle_linop *L, double alpha, const tulle_vec *b,
                                   const tulle_vec *x, tulle_vec *scratch, tulle_vec *r) {
    tulle_status status =
        L->kind->residual ? L->kind->residual(ctx, L, alpha, b, x, r) : TULLE_UNSUPPORTED;
    if (status != TULLE_UNSUPPORTED) return status;
    TULLE__TRY(tulle_vec_copy(ctx, b, scratch));
    TULLE__TRY(tulle__linop_run(ctx, L, TULLE_N, tulle_num(-alpha), x, tulle_num(1), scratch));
    return tulle_vec_copy(ctx, scratch, r);
}

tulle_status tulle_linop_describe(const tulle_linop *L, tulle_linop_info *info) {
    TULLE__NEED(L);
    TULLE__NEED(info);
    *info = (tulle_linop_info){.name = L->kind->name,
                               .rows = L->rows,
                               .cols = L->cols,
                               .type = L->type,
                               .transposes = L->transposes,
                               .has_diagonal = L->has_diagonal,
                               .capturable = tulle__linop_is_capturable(L)};
    return TULLE_OK;
}

tulle_status tulle__own_vector_take(tulle_ctx *ctx, tulle__own_vector *own, tulle_type type,
                                    int64_t rows, const tulle_vec *like, tulle_vec *view) {
    size_t bytes;
    TULLE__TRY(tulle__size(rows * like->cols, tulle_type_size(type), 0, &bytes));
    if (bytes > own->bytes) {
        void *larger;
        TULLE__TRY(tulle__alloc(ctx, bytes, &larger));
        tulle__own_vector_release(own);
        tulle__ctx_retain(ctx);
        *own = (tulle__own_vector){ctx, larger, bytes};
    }
    const bool by_row = like->layout == TULLE_ROW_MAJOR;
    *view = (tulle_vec){.ctx = ctx,
                        .rows = rows,
                        .cols = like->cols,
                        .ld = by_row ? like->cols : rows,
                        .type = type,
                        .layout = like->layout,
                        .data = own->data};
    return TULLE_OK;
}

void tulle__own_vector_release(tulle__own_vector *own) {
    if (!own->ctx) return;
    tulle__free(own->ctx, own->data);
    tulle__ctx_release(own->ctx);
    *own = (tulle__own_vector){NULL, NULL, 0};
}
