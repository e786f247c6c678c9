/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of distributed matrices, whose rows are added in each process. */
#include "tulle/add.h"

#include "dist/rows.h"

/* Everything that is made on the way. */
typedef struct sum {
    tulle__columns cols;
    tulle_mat *A, *B, *C;
} sum;

static tulle_status add_here(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                             tulle_scalar beta, const tulle_dist_mat *B, sum *s) {
    TULLE__TRY(tulle__columns_of_both(ctx, A, B, &s->cols));
    TULLE__TRY(tulle__local_own(ctx, A, &s->cols, &s->A));
    TULLE__TRY(tulle__local_own(ctx, B, &s->cols, &s->B));
    return tulle_add(ctx, TULLE_N, TULLE_N, alpha, s->A, beta, s->B, NULL, NULL, &s->C);
}

static tulle_status check_shapes(const tulle_dist_mat *A, const tulle_dist_mat *B) {
    for (int r = 0; r <= A->comm->functions.ranks; r++) {
        const bool rows = A->row_starts[r] == B->row_starts[r];
        if (rows && A->col_starts[r] == B->col_starts[r]) continue;
        return tulle__fail(TULLE_SHAPE_MISMATCH, "tulle_dist_add", "B", -1,
                           "the %s of B are not shared as those of A are",
                           rows ? "columns" : "rows");
    }
    return TULLE_OK;
}

tulle_status tulle__dist_add(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                             tulle_scalar beta, const tulle_dist_mat *B, tulle_dist_mat **C) {
    sum s = {.A = NULL};
    tulle_status status = add_here(ctx, alpha, A, beta, B, &s);
    const tulle__local_part part = {s.C, 0, A->rows, &s.cols, A->cols};
    status = tulle__local_share(ctx, A->comm, status, &part, C);
    tulle__columns_free(ctx, &s.cols);
    tulle_mat_destroy(s.A);
    tulle_mat_destroy(s.B);
    tulle_mat_destroy(s.C);
    return status;
}

tulle_status tulle_dist_add(tulle_ctx *ctx, tulle_scalar alpha, tulle_dist_mat *A,
                            tulle_scalar beta, tulle_dist_mat *B, tulle_dist_mat **C) {
    if (C) *C = NULL;
    TULLE__NEED(A);
    tulle_status status = tulle__dist_check_pair(__func__, ctx, A, "B", B, C);
    if (status == TULLE_OK) status = check_shapes(A, B);
    TULLE__TRY(tulle__comm_agree(A->comm, __func__, status, NULL, 0));
    return tulle__dist_add(ctx, alpha, A, beta, B, C);
}
