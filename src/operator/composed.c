/* SPDX-License-Identifier: Apache-2.0 */
/* Products and sums of operators. */
#include "operator/linop.h"
#include "tulle/vec.h"

typedef struct pair {
    tulle_linop head;
    tulle_linop *A, *B; /* operators; owned; B is NULL for a multiple of A */
    double alpha, beta;
    tulle__own_vector own; /* for a product B X; for a diagonal its scaled numbers */
} pair;

static tulle_status apply_product(tulle_ctx *ctx, tulle_linop *L, tulle_trans op,
                                  tulle_scalar alpha, const tulle_vec *X, tulle_scalar beta,
                                  tulle_vec *Y) {
    pair *p = (pair *)L;
    tulle_linop *first = op == TULLE_N ? p->B : p->A, *second = op == TULLE_N ? p->A : p->B;
    tulle_vec between;
    TULLE__TRY(tulle__own_vector_take(ctx, &p->own, L->type, p->B->rows, X, &between));
    if (between.rows == 0 && !L->comm) return tulle_vec_scale(ctx, beta, Y);
    TULLE__TRY(tulle__linop_run(ctx, first, op, tulle_num(1), X, tulle_num(0), &between));
    return tulle__linop_run(ctx, second, op, alpha, &between, beta, Y);
}

/* Computes alpha (p->alpha A + p->beta B) X + beta Y. Scalars by address cannot be multiplied on
 * the host, so a pass over Y applies them. */
static tulle_status apply_sum(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                              const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    pair *p = (pair *)L;
    if (alpha.address) {
        tulle_vec sum;
        TULLE__TRY(tulle__own_vector_take(ctx, &p->own, L->type, Y->rows, Y, &sum));
        TULLE__TRY(apply_sum(ctx, L, op, tulle_num(1), X, tulle_num(0), &sum));
        return tulle_vec_axpby(ctx, alpha, &sum, beta, Y);
    }
    TULLE__TRY(tulle__linop_run(ctx, p->A, op, tulle_num(alpha.number * p->alpha), X, beta, Y));
    if (!p->B) return TULLE_OK;
    return tulle__linop_run(ctx, p->B, op, tulle_num(alpha.number * p->beta), X, tulle_num(1), Y);
}

static tulle_status diagonal_of_sum(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    pair *p = (pair *)L;
    TULLE__TRY(p->A->kind->diagonal(ctx, p->A, d));
    if (!p->B) return tulle_vec_scale(ctx, tulle_num(p->alpha), d);
    tulle_vec other;
    TULLE__TRY(tulle__own_vector_take(ctx, &p->own, L->type, L->rows, d, &other));
    TULLE__TRY(p->B->kind->diagonal(ctx, p->B, &other));
    return tulle_vec_axpby(ctx, tulle_num(p->beta), &other, tulle_num(p->alpha), d);
}

static tulle_status renew(tulle_ctx *ctx, tulle_linop *L) {
    pair *p = (pair *)L;
    TULLE__TRY(tulle_linop_renew(ctx, p->A));
    return p->B ? tulle_linop_renew(ctx, p->B) : TULLE_OK;
}

static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    const pair *p = (const pair *)L;
    const uint64_t both =
        tulle__stamp_join(tulle__linop_stamp(ctx, p->A), p->B ? tulle__linop_stamp(ctx, p->B) : 0);
    return tulle__stamp_join(both, (uint64_t)(uintptr_t)p->own.data);
}

static bool capturable(const tulle_linop *L) {
    const pair *p = (const pair *)L;
    return tulle__linop_is_capturable(p->A) && (!p->B || tulle__linop_is_capturable(p->B));
}

static void destroy(tulle_linop *L) {
    pair *p = (pair *)L;
    tulle_linop_destroy(p->A);
    tulle_linop_destroy(p->B);
    tulle__own_vector_release(&p->own);
}

static const tulle__linop_kind product = {.name = "product",
                                          .bytes = sizeof(pair),
                                          .apply = apply_product,
                                          .renew = renew,
                                          .stamp = stamp,
                                          .capturable = capturable,
                                          .destroy = destroy};
static const tulle__linop_kind sum = {.name = "sum",
                                      .bytes = sizeof(pair),
                                      .apply = apply_sum,
                                      .diagonal = diagonal_of_sum,
                                      .renew = renew,
                                      .stamp = stamp,
                                      .capturable = capturable,
                                      .destroy = destroy};

static tulle_status check_types(const char *function, const tulle_linop *A, const tulle_linop *B) {
    if (A->type == B->type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, function, "B", -1,
                       "A and B take vectors of different types");
}

static tulle_status mismatch(const char *function, const tulle_linop *A, const tulle_linop *B) {
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, "B", -1, "A is %lld x %lld, B %lld x %lld",
                       (long long)A->rows, (long long)A->cols, (long long)B->rows,
                       (long long)B->cols);
}

static void take(tulle_linop *L, tulle_linop *A, tulle_linop *B) {
    pair *p = (pair *)L;
    p->A = tulle__linop_retain(A);
    p->B = tulle__linop_retain(B);
    L->entries = A->entries + (B ? B->entries : 0);
    L->comm = A->comm ? A->comm : B ? B->comm : NULL;
    L->transposes = A->transposes && (!B || B->transposes);
}

tulle_status tulle_linop_product(tulle_ctx *ctx, tulle_linop *A, tulle_linop *B, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__TRY(tulle__linop_check(__func__, "A", ctx, A));
    TULLE__TRY(tulle__linop_check(__func__, "B", ctx, B));
    TULLE__TRY(check_types(__func__, A, B));
    if (A->cols != B->rows) return mismatch(__func__, A, B);
    TULLE__TRY(tulle__linop_make(ctx, &product, A->type, A->rows, B->cols, L));
    take(*L, A, B);
    return TULLE_OK;
}

tulle_status tulle_linop_sum(tulle_ctx *ctx, double alpha, tulle_linop *A, double beta,
                             tulle_linop *B, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__linop_check(__func__, "A", ctx, A));
    if (B) {
        TULLE__TRY(tulle__linop_check(__func__, "B", ctx, B));
        TULLE__TRY(check_types(__func__, A, B));
        if (A->rows != B->rows || A->cols != B->cols) return mismatch(__func__, A, B);
    }
    TULLE__TRY(tulle__linop_make(ctx, &sum, A->type, A->rows, A->cols, L));
    take(*L, A, B);
    ((pair *)*L)->alpha = alpha;
    ((pair *)*L)->beta = beta;
    (*L)->has_diagonal = A->has_diagonal && (!B || B->has_diagonal);
    return TULLE_OK;
}
