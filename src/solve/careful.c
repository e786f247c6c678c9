/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/careful.h"

#include "matrix/reformat.h"
#include "operator/linop.h"

typedef struct careful {
    tulle_linop head;
    tulle_linop *L;
    tulle_mat *A; /* owned, as L is */
} careful;

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    return tulle__linop_run(ctx, ((careful *)L)->L, op, alpha, X, beta, Y);
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    return tulle_linop_get_diagonal(ctx, ((careful *)L)->L, d);
}

static tulle_status residual(tulle_ctx *ctx, tulle_linop *L, double alpha, const tulle_vec *b,
                             const tulle_vec *x, tulle_vec *r) {
    const tulle_mat *A = ((const careful *)L)->A;
    tulle_mat *csr = NULL;
    tulle_linop *rows = NULL;
    tulle_status status = tulle__as_csr(ctx, A, A->pattern->index, false, &csr);
    if (status == TULLE_OK) status = tulle_linop_from_mat(ctx, csr, &rows);
    if (status == TULLE_OK) status = tulle__linop_residual(ctx, rows, alpha, b, x, NULL, r);
    tulle_linop_destroy(rows);
    tulle_mat_destroy(csr);
    const bool no_room = status == TULLE_OUT_OF_MEMORY || status == TULLE_TOO_LARGE;
    return no_room ? TULLE_UNSUPPORTED : status;
}

static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    return tulle__linop_stamp(ctx, ((const careful *)L)->L);
}

static bool capturable(const tulle_linop *L) {
    return tulle__linop_is_capturable(((const careful *)L)->L);
}

static void destroy(tulle_linop *L) {
    tulle_linop_destroy(((careful *)L)->L);
    tulle_mat_destroy(((careful *)L)->A);
}

static const tulle__linop_kind kind = {.name = "matrix with careful residuals",
                                       .bytes = sizeof(careful),
                                       .apply = apply,
                                       .diagonal = diagonal,
                                       .residual = residual,
                                       .stamp = stamp,
                                       .capturable = capturable,
                                       .destroy = destroy};

tulle_status tulle__careful_take(tulle_ctx *ctx, tulle_mat *A, tulle_linop **L) {
    tulle_linop *made = NULL;
    TULLE__TRY(tulle__linop_make(ctx, &kind, (*L)->type, (*L)->rows, (*L)->cols, &made));
    careful *own = (careful *)made;
    own->head.entries = (*L)->entries;
    own->head.transposes = (*L)->transposes;
    own->L = *L;
    own->A = tulle_mat_retain(A);
    *L = made;
    return TULLE_OK;
}
