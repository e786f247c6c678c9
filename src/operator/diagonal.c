/* SPDX-License-Identifier: Apache-2.0 */
/* Diagonal operators: given numbers, or Jacobi's preconditioner. */
#include "operator/functions.h"
#include "operator/linop.h"
#include "tulle/vec.h"
#include "vector/operands.h"

typedef struct diagonal_operator {
    tulle_linop head;
    tulle_vec *d;   /* numbers of the diagonal; owned */
    tulle_linop *A; /* matrix operator whose diagonal is inverted; owned; or NULL */
    /* largest size of a number of A's diagonal, in the memory of the context's place; NULL if A is
     * NULL */
    void *largest;
} diagonal_operator;

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    const diagonal_operator *own = (const diagonal_operator *)L;
    (void)op;
    if (X->cols == 1 && !alpha.address && alpha.number == 1 && !beta.address && beta.number == 0) {
        return tulle_vec_multiply(ctx, own->d, X, Y);
    }
    return ctx->backend->op->apply_blocks(&ctx->place,
                                          &(tulle__blocks_job){.type = L->type,
                                                               .rows = L->rows,
                                                               .block = 1,
                                                               .blocks = own->d->data,
                                                               .cols = X->cols,
                                                               .alpha = alpha,
                                                               .beta = beta,
                                                               .x = tulle__strided_of(X),
                                                               .y = tulle__strided_of(Y)});
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    return tulle_vec_copy(ctx, ((const diagonal_operator *)L)->d, d);
}

static tulle_status renew(tulle_ctx *ctx, tulle_linop *L) {
    const diagonal_operator *own = (const diagonal_operator *)L;
    if (!own->A || L->rows == 0) return TULLE_OK;
    TULLE__TRY(own->A->kind->diagonal(ctx, own->A, own->d));
    TULLE__TRY(tulle_vec_norm_max(ctx, own->d, tulle_to_at(own->largest)));
    return ctx->backend->op->invert_numbers(&ctx->place,
                                            &(tulle__blocks_job){.type = L->type,
                                                                 .rows = L->rows,
                                                                 .block = 1,
                                                                 .blocks = own->d->data,
                                                                 .largest = own->largest});
}

static void destroy(tulle_linop *L) {
    diagonal_operator *own = (diagonal_operator *)L;
    tulle__free(L->ctx, own->largest);
    tulle_vec_destroy(own->d);
    tulle_linop_destroy(own->A);
}

static const tulle__linop_kind numbers = {.name = "diagonal",
                                          .bytes = sizeof(diagonal_operator),
                                          .apply = apply,
                                          .diagonal = diagonal,
                                          .destroy = destroy};
static const tulle__linop_kind jacobi = {.name = "Jacobi",
                                         .bytes = sizeof(diagonal_operator),
                                         .apply = apply,
                                         .diagonal = diagonal,
                                         .renew = renew,
                                         .destroy = destroy};

/* Makes an operator with a vector for its numbers. */
static tulle_status make(tulle_ctx *ctx, const tulle__linop_kind *kind, tulle_type type, int64_t n,
                         tulle_linop *A, tulle_linop **L) {
    tulle_linop *made;
    TULLE__TRY(tulle__linop_make(ctx, kind, type, n, n, &made));
    diagonal_operator *own = (diagonal_operator *)made;
    own->A = tulle__linop_retain(A);
    tulle_status status = tulle_vec_create(ctx, type, n, &own->d);
    if (status == TULLE_OK && A) {
        status = tulle__alloc(ctx, (size_t)tulle_type_size(type), &own->largest);
    }
    if (status != TULLE_OK) {
        tulle_linop_destroy(made);
        return status;
    }
    made->transposes = true;
    made->scales = own->d;
    *L = made;
    return TULLE_OK;
}

static tulle_status made_or_not(tulle_linop **L, tulle_status status) {
    if (status == TULLE_OK) return TULLE_OK;
    tulle_linop_destroy(*L);
    *L = NULL;
    return status;
}

tulle_status tulle_linop_diagonal(tulle_ctx *ctx, const tulle_vec *d, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(d);
    const tulle__operand given = {"d", d};
    TULLE__TRY(tulle__operand_check(__func__, ctx, given, d->rows, 1, d->type));
    TULLE__TRY(make(ctx, &numbers, d->type, d->rows, NULL, L));
    return made_or_not(L, tulle_vec_copy(ctx, d, ((diagonal_operator *)*L)->d));
}

tulle_status tulle_linop_jacobi(tulle_ctx *ctx, tulle_linop *A, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__linop_check(__func__, "A", ctx, A));
    TULLE__TRY(tulle__linop_check_square(__func__, "A", A));
    if (!A->has_diagonal) {
        return tulle__fail(TULLE_UNSUPPORTED, __func__, "A", -1,
                           "this operator (%s) does not know its diagonal", A->kind->name);
    }
    TULLE__TRY(make(ctx, &jacobi, A->type, A->rows, A, L));
    return made_or_not(L, renew(ctx, *L));
}
