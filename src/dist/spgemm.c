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

tulle_status tulle__dist_galerkin(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                                  const tulle_dist_mat *P, const tulle_dist_mat *R,
                                  tulle_dist_mat **C) {
    tulle_dist_mat *AP = NULL;
    TULLE__TRY(tulle__dist_spgemm(ctx, tulle_num(1), A, P, &AP));
    const tulle_status status = tulle__dist_spgemm(ctx, alpha, R, AP, C);
    tulle_dist_mat_destroy(AP);
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
