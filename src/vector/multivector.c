/* SPDX-License-Identifier: Apache-2.0 */
/* Products of multivectors with small dense matrices and with each other, cut into parts that
 * kernels take. */
#include "matrix/operand.h"
#include "vector/functions.h"
#include "vector/operands.h"

/* The arguments of one call. */
typedef struct call {
    const char *function;
    tulle_ctx *ctx;
    tulle__operand x, a, out; /* operands X, A or Z, and Y or R */
    int64_t rows, k1, k2;
    tulle_scalar alpha, beta;
} call;

static tulle_status check(const call *p) {
    const tulle__operand inputs[] = {p->x, p->a};
    const tulle_type type = p->x.X->type;
    TULLE__TRY(tulle__address_check(p->function, "alpha", p->alpha.address, 1, type, p->out));
    TULLE__TRY(tulle__address_check(p->function, "beta", p->beta.address, 1, type, p->out));
    for (int i = 0; i < 2; i++) {
        if (!tulle__dense_overlap(p->out.X, inputs[i].X)) continue;
        return tulle__fail(TULLE_ALIASED, p->function, p->out.name, -1, "%s overlaps %s",
                           p->out.name, inputs[i].name);
    }
    return TULLE_OK;
}

/* Returns a part of a multivector, from a row and a column on. */
static tulle__strided part(const tulle_vec *X, int64_t row, int64_t col) {
    tulle__strided s = tulle__strided_of(X);
    if (s.data) s.data = (char *)s.data + (row * s.row + col * s.col) * tulle_type_size(X->type);
    return s;
}

static int at_most(int64_t left) {
    return left < TULLE__MULTI_MOST ? (int)left : TULLE__MULTI_MOST;
}

static tulle__multi part_of(const call *p, int64_t i1, int64_t i2) {
    return (tulle__multi){.rows = p->rows,
                          .k1 = at_most(p->k1 - i1),
                          .k2 = at_most(p->k2 - i2),
                          .type = p->x.X->type,
                          .alpha = p->alpha,
                          .beta = p->beta,
                          .x = part(p->x.X, 0, i1)};
}

/* Computes a sum over X's columns. Later parts add to the result of the first one, which exists
 * even if X has no columns. */
static tulle_status axpy(const call *p) {
    for (int64_t i2 = 0; i2 < p->k2; i2 += TULLE__MULTI_MOST) {
        for (int64_t i1 = 0; i1 == 0 || i1 < p->k1; i1 += TULLE__MULTI_MOST) {
            tulle__multi m = part_of(p, i1, i2);
            m.a = part(p->a.X, i1, i2);
            m.y = part(p->out.X, 0, i2);
            if (i1 > 0) m.beta = tulle_num(1);
            TULLE__TRY(p->ctx->backend->vector->multivector_axpy(&p->ctx->place, &m));
        }
    }
    return TULLE_OK;
}

static tulle_status dot(const call *p) {
    const int64_t pieces = tulle__multi_pieces(p->rows);
    size_t bytes;
    void *partials = NULL;
    TULLE__TRY(tulle__size((int64_t)at_most(p->k1) * at_most(p->k2), pieces, 0, &bytes));
    TULLE__TRY(tulle__workspace(p->ctx, bytes * sizeof(double), &partials));
    for (int64_t i2 = 0; i2 < p->k2; i2 += TULLE__MULTI_MOST) {
        for (int64_t i1 = 0; i1 < p->k1; i1 += TULLE__MULTI_MOST) {
            tulle__multi m = part_of(p, i1, i2);
            m.a = part(p->a.X, 0, i2);
            m.y = part(p->out.X, i1, i2);
            m.partials = partials;
            m.pieces = pieces;
            TULLE__TRY(p->ctx->backend->vector->multivector_dot(&p->ctx->place, &m));
        }
    }
    return TULLE_OK;
}

static tulle_status run(const call *p, tulle_status (*compute)(const call *)) {
    const tulle_type type = p->x.X->type;
    TULLE__TRY(check(p));
    TULLE__TRY(tulle__scalar_lend(p->ctx, p->alpha, type));
    tulle_status status = tulle__scalar_lend(p->ctx, p->beta, type);
    if (status == TULLE_OK) {
        status = compute(p);
        tulle__scalar_give_back(p->ctx, p->beta);
    }
    tulle__scalar_give_back(p->ctx, p->alpha);
    return status;
}

tulle_status tulle_vec_combine(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                               const tulle_vec *A, tulle_scalar beta, tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(A);
    TULLE__NEED(Y);
    const call p = {__func__, ctx,     {"X", X}, {"A", A}, {"Y", Y},
                    X->rows,  X->cols, A->cols,  alpha,    beta};
    TULLE__TRY(tulle__operand_check(__func__, ctx, p.x, X->rows, X->cols, X->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, p.a, X->cols, A->cols, X->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, p.out, X->rows, A->cols, X->type));
    if (X->rows == 0) return TULLE_OK;
    return run(&p, axpy);
}

tulle_status tulle_vec_inner(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                             const tulle_vec *Z, tulle_scalar beta, tulle_vec *R) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(Z);
    TULLE__NEED(R);
    const call p = {__func__, ctx,     {"X", X}, {"Z", Z}, {"R", R},
                    X->rows,  X->cols, Z->cols,  alpha,    beta};
    TULLE__TRY(tulle__operand_check(__func__, ctx, p.x, X->rows, X->cols, X->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, p.a, X->rows, Z->cols, X->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, p.out, X->cols, Z->cols, X->type));
    return run(&p, dot);
}
