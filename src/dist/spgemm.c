/* SPDX-License-Identifier: Apache-2.0 */
/* Products of distributed matrices. Each process fetches the rows of B that its columns of A name,
 * and multiplies its rows of A with them. Local columns keep the order of the whole matrix, so an
 * entry adds its terms in the order in which one process adds them. */
#include "tulle/spgemm.h"

#include "dist/rows.h"
#include "matrix/build.h"

/* Everything that is made on the way. */
typedef struct product {
    tulle__guests came;
    tulle__columns cols; /* columns of B */
    tulle_mat *A, *B, *C;
} product;

/* Multiplies this process's rows. */
static tulle_status multiply_here(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                                  const tulle_dist_mat *B, product *p) {
    const tulle__columns middle = tulle__columns_of(A); /* columns of A, which are rows of B */
    TULLE__TRY(tulle__columns_with(ctx, B, &p->came, &p->cols));
    TULLE__TRY(tulle__local_own(ctx, A, &middle, &p->A));
    TULLE__TRY(tulle__local_stack(ctx, B, &middle, &p->came, A->edge_col, &p->cols, &p->B));
    return tulle_spgemm(ctx, TULLE_N, TULLE_N, alpha, p->A, p->B, NULL, NULL, &p->C);
}

static void give_back(tulle_ctx *ctx, product *p) {
    tulle__guests_free(ctx, &p->came);
    tulle__columns_free(ctx, &p->cols);
    tulle_mat_destroy(p->A);
    tulle_mat_destroy(p->B);
    tulle_mat_destroy(p->C);
}

tulle_status tulle__dist_spgemm(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                                const tulle_dist_mat *B, tulle_dist_mat **C) {
    product p = {.A = NULL};
    tulle_status status = tulle__rows_fetch(ctx, B, TULLE_OK, &A->halo, &p.came);
    if (status == TULLE_OK) {
        const tulle_status here = multiply_here(ctx, alpha, A, B, &p);
        const tulle__local_part part = {p.C, 0, A->rows, &p.cols, B->cols};
        status = tulle__local_share(ctx, A->comm, here, &part, C);
    }
    give_back(ctx, &p);
    return status;
}

/* Everything that is made on the way to R A P. */
typedef struct triple {
    tulle__guests A_came, P_came;
    tulle__columns middle, cols; /* columns of A, which are rows of P; columns of P */
    tulle__halo halo;            /* rows of P that rows of A name */
    tulle_mat *A, *P, *AP, *R, *C;
} triple;

/* Fetches the rows of A that R names, and the rows of P that these and own rows of A name. */
static tulle_status fetch_both(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle_dist_mat *P,
                               const tulle_dist_mat *R, triple *t) {
    TULLE__TRY(tulle__rows_fetch(ctx, A, TULLE_OK, &R->halo, &t->A_came));
    tulle_status here = tulle__columns_with(ctx, A, &t->A_came, &t->middle);
    const tulle__halo_needs needs = {P->row_starts, t->middle.others, t->middle.count};
    TULLE__TRY(tulle__halo_make(ctx, A->comm, here, &needs, &t->halo));
    here = tulle__halo_place(ctx, &t->halo);
    return tulle__rows_fetch(ctx, P, here, &t->halo, &t->P_came);
}

/* Multiplies this process's rows of R with rows of A P, of which rows of other processes are
 * computed here once more. */
static tulle_status multiply_three(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                                   const tulle_dist_mat *P, const tulle_dist_mat *R, triple *t) {
    const tulle__columns fine = tulle__columns_of(R); /* columns of R, which are rows of A */
    const tulle_scalar one = tulle_num(1);
    TULLE__TRY(tulle__columns_with(ctx, P, &t->P_came, &t->cols));
    TULLE__TRY(tulle__local_stack(ctx, A, &fine, &t->A_came, R->edge_col, &t->middle, &t->A));
    TULLE__TRY(
        tulle__local_stack(ctx, P, &t->middle, &t->P_came, t->middle.others, &t->cols, &t->P));
    TULLE__TRY(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, t->A, t->P, NULL, NULL, &t->AP));
    tulle_mat_destroy(t->A);
    tulle_mat_destroy(t->P);
    t->A = t->P = NULL;
    TULLE__TRY(tulle__local_own(ctx, R, &fine, &t->R));
    return tulle_spgemm(ctx, TULLE_N, TULLE_N, alpha, t->R, t->AP, NULL, NULL, &t->C);
}

static void give_back_triple(tulle_ctx *ctx, triple *t) {
    tulle_mat *const made[] = {t->A, t->P, t->AP, t->R, t->C};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) tulle_mat_destroy(made[k]);
    tulle__guests_free(ctx, &t->A_came);
    tulle__guests_free(ctx, &t->P_came);
    tulle__columns_free(ctx, &t->middle);
    tulle__columns_free(ctx, &t->cols);
    tulle__halo_release(ctx, &t->halo);
}

tulle_status tulle__dist_galerkin(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                                  const tulle_dist_mat *P, const tulle_dist_mat *R,
                                  tulle_dist_mat **C) {
    triple t = {.A = NULL};
    tulle_status status = fetch_both(ctx, A, P, R, &t);
    if (status == TULLE_OK) {
        const tulle_status here = multiply_three(ctx, alpha, A, P, R, &t);
        const tulle__local_part part = {t.C, 0, R->rows, &t.cols, P->cols};
        status = tulle__local_share(ctx, A->comm, here, &part, C);
    }
    give_back_triple(ctx, &t);
    return status;
}

static tulle_status check_shares(const char *function, const tulle_dist_mat *A, const char *name,
                                 const tulle_dist_mat *B) {
    for (int r = 0; r <= A->comm->functions.ranks; r++) {
        if (A->col_starts[r] == B->row_starts[r]) continue;
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, name, -1,
                           "the rows of %s are not shared as the columns of A are", name);
    }
    return TULLE_OK;
}

tulle_status tulle__dist_check_pair(const char *function, const tulle_ctx *ctx,
                                    const tulle_dist_mat *A, const char *name,
                                    const tulle_dist_mat *B, tulle_dist_mat **C) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, C);
    if (!B) return tulle__fail(TULLE_INVALID_ARGUMENT, function, name, -1, "%s is NULL", name);
    TULLE__TRY(tulle__check_space_of(function, "A", ctx, A->block));
    TULLE__TRY(tulle__check_space_of(function, name, ctx, B->block));
    if (B->comm != A->comm) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, name, -1,
                           "%s has another communicator than A", name);
    }
    if (B->type == A->type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, function, name, -1, "%s has another type than A", name);
}

tulle_status tulle_dist_spgemm(tulle_ctx *ctx, tulle_scalar alpha, tulle_dist_mat *A,
                               tulle_dist_mat *B, tulle_dist_mat **C) {
    if (C) *C = NULL;
    TULLE__NEED(A);
    tulle_status status = tulle__dist_check_pair(__func__, ctx, A, "B", B, C);
    if (status == TULLE_OK) status = check_shares(__func__, A, "B", B);
    TULLE__TRY(tulle__comm_agree(A->comm, __func__, status, NULL, 0));
    return tulle__dist_spgemm(ctx, alpha, A, B, C);
}

tulle_status tulle_dist_spgemm_galerkin(tulle_ctx *ctx, tulle_scalar alpha, tulle_dist_mat *A,
                                        tulle_dist_mat *P, tulle_dist_mat **C) {
    tulle_dist_mat *R = NULL;
    if (C) *C = NULL;
    TULLE__NEED(A);
    tulle_status status = tulle__dist_check_pair(__func__, ctx, A, "P", P, C);
    if (status == TULLE_OK) status = check_shares(__func__, A, "A", A);
    if (status == TULLE_OK) status = check_shares(__func__, A, "P", P);
    TULLE__TRY(tulle__comm_agree(A->comm, __func__, status, NULL, 0));
    TULLE__TRY(tulle__dist_transpose(ctx, P, &R));
    status = tulle__dist_galerkin(ctx, alpha, A, P, R, C);
    tulle_dist_mat_destroy(R);
    return status;
}
