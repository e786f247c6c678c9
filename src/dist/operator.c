/* SPDX-License-Identifier: Apache-2.0 */
/* A distributed matrix as an operator on this process's rows. */
#include "dist/dist.h"
#include "matrix/build.h"

typedef struct dist_operator {
    tulle_linop head;
    tulle_dist_mat *A; /* owned */
} dist_operator;

static tulle_dist_mat *matrix_of(const tulle_linop *L) {
    return ((const dist_operator *)L)->A;
}

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    return tulle__dist_multiply(ctx, op, alpha, matrix_of(L), X, beta, Y);
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    tulle_linop *inner = matrix_of(L)->inner;
    return inner->kind->diagonal(ctx, inner, d);
}

/* Makes the operand of the rim: x, and the rows that came. */
static tulle_status widen(tulle_ctx *ctx, tulle_dist_mat *A, const tulle_vec *x,
                          const tulle_vec *came, tulle_vec *wide) {
    TULLE__TRY(tulle__dist_take(ctx, A, &A->wide, A->cols + came->rows, 1, wide));
    const size_t own = (size_t)(A->cols * tulle_type_size(A->type));
    if (own > 0) TULLE__TRY(ctx->backend->copy(&ctx->place, wide->data, x->data, own));
    return ctx->backend->copy(&ctx->place, (char *)wide->data + own, came->data,
                              tulle__dense_bytes(came));
}

/* Computes a residual: all rows as if they had entries in own columns alone, and then those of the
 * edge again with all their entries, since a sum of two rounded parts would not be as exact. */
static tulle_status residual(tulle_ctx *ctx, tulle_linop *L, double alpha, const tulle_vec *b,
                             const tulle_vec *x, tulle_vec *r) {
    tulle_dist_mat *A = matrix_of(L);
    tulle_vec came, wide, some, exact;
    const tulle_vec one = {.cols = 1, .layout = TULLE_ROW_MAJOR};
    TULLE__TRY(tulle__halo_start(ctx, A, x, &came));
    TULLE__TRY(tulle__halo_finish(ctx, A, A->inner->kind->residual(ctx, A->inner, alpha, b, x, r)));
    if (A->edge_rows == 0) return TULLE_OK;
    TULLE__TRY(widen(ctx, A, x, &came, &wide));
    TULLE__TRY(tulle__dist_take(ctx, A, &A->some, A->edge_rows, 1, &some));
    TULLE__TRY(tulle__own_vector_take(ctx, &A->exact, TULLE_F64, A->edge_rows, &one, &exact));
    TULLE__TRY(tulle__edge_gather(ctx, A, b, &some));
    TULLE__TRY(A->rim->kind->residual(ctx, A->rim, alpha, &some, &wide, &exact));
    return tulle__edge_scatter(ctx, A, &exact, false, r);
}

/* Returns a stamp of the kernels and arrays of both blocks. */
static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    const tulle_dist_mat *A = matrix_of(L);
    const uint64_t outer = A->outer ? tulle__linop_stamp(ctx, A->outer) : 0;
    const void *const own[] = {A->halo.went.data, A->halo.came.data, A->some.data};
    uint64_t all = tulle__stamp_join(tulle__linop_stamp(ctx, A->inner), outer);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        all = tulle__stamp_join(all, (uint64_t)(uintptr_t)own[i]);
    }
    return all;
}

static void destroy(tulle_linop *L) {
    tulle_dist_mat_destroy(matrix_of(L));
}

static const tulle__linop_kind kind = {.name = "distributed matrix",
                                       .bytes = sizeof(dist_operator),
                                       .apply = apply,
                                       .diagonal = diagonal,
                                       .residual = residual,
                                       .stamp = stamp,
                                       .destroy = destroy};

/* True where each process has the same rows and columns of a square matrix. */
static bool is_alike(const tulle_dist_mat *A) {
    for (int r = 0; r <= A->comm->functions.ranks; r++) {
        if (A->row_starts[r] != A->col_starts[r]) return false;
    }
    return true;
}

tulle_status tulle_linop_from_dist(tulle_ctx *ctx, tulle_dist_mat *A, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space_of(__func__, "A", ctx, A->block));
    TULLE__TRY(tulle__linop_make(ctx, &kind, A->type, A->rows, A->cols, L));
    ((dist_operator *)*L)->A = tulle_dist_mat_retain(A);
    (*L)->comm = A->comm;
    (*L)->entries = A->nnz;
    (*L)->transposes = true;
    (*L)->has_diagonal = is_alike(A);
    (*L)->capturable = A->comm->functions.capturable;
    return TULLE_OK;
}
