/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a distributed matrix that a process keeps a copy of, with the plan by which they come. */
#include "dist/rows.h"
#include "matrix/build.h"

struct tulle_dist_rows {
    tulle_dist_mat *A; /* owned */
    tulle__halo halo;
    tulle__guests rows; /* as they came, whose values are fetched again */
    tulle_mat *mat;     /* the rows in the context's memory; owned */
};

static const char *const function = "tulle_dist_rows_fetch";

static tulle_status check(const tulle_ctx *ctx, const tulle_dist_mat *A, int64_t count,
                          const int64_t *rows, tulle_dist_rows **F) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, F);
    TULLE__TRY(tulle__check_space_of(function, "A", ctx, A->block));
    if (count < 0 || (count > 0 && !rows)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, count < 0 ? "count" : "rows", -1,
                           "count is %lld, and rows %s", (long long)count, rows ? "given" : "NULL");
    }
    const int64_t end = A->row_starts[A->comm->functions.ranks];
    for (int64_t k = 0; k < count; k++) {
        const int64_t least = k > 0 ? rows[k - 1] + 1 : 0;
        if (rows[k] >= least && rows[k] < end) continue;
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "rows", k,
                           "rows[%lld] is %lld; rows ascend, and are below %lld", (long long)k,
                           (long long)rows[k], (long long)end);
    }
    return TULLE_OK;
}

static tulle_status make(tulle_ctx *ctx, int64_t count, const int64_t *rows, tulle_dist_rows *F) {
    const tulle_dist_mat *A = F->A;
    const tulle__halo_needs needs = {A->row_starts, rows, count};
    TULLE__TRY(tulle__halo_make(ctx, A->comm, TULLE_OK, &needs, &F->halo));
    const tulle_status here = tulle__halo_place(ctx, &F->halo);
    TULLE__TRY(tulle__rows_fetch(ctx, A, here, &F->halo, &F->rows));
    const tulle__columns all = {.end = A->col_starts[A->comm->functions.ranks]};
    return tulle__comm_agree(A->comm, function,
                             tulle__local_guests(ctx, &F->rows, &all, false, &F->mat), NULL, 0);
}

tulle_status tulle_dist_rows_fetch(tulle_ctx *ctx, tulle_dist_mat *A, int64_t count,
                                   const int64_t *rows, tulle_dist_rows **F) {
    tulle_dist_rows *made = NULL;
    if (F) *F = NULL;
    TULLE__NEED(A);
    tulle_status status = check(ctx, A, count, rows, F);
    if (status == TULLE_OK) {
        made = tulle__host_alloc(A->ctx, sizeof *made);
        status = made ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    }
    if (made) made->A = tulle_dist_mat_retain(A);
    status = tulle__comm_agree(A->comm, function, status, NULL, 0);
    if (status == TULLE_OK) status = make(ctx, count, rows, made);
    if (status == TULLE_OK) {
        *F = made;
        return TULLE_OK;
    }
    tulle_dist_rows_destroy(made);
    return status;
}

tulle_status tulle_dist_rows_update(tulle_ctx *ctx, tulle_dist_rows *F) {
    TULLE__NEED(F);
    const tulle_dist_mat *A = F->A;
    const tulle_status here = ctx ? TULLE_OK : TULLE__BAD("ctx", "ctx is NULL");
    TULLE__TRY(tulle__rows_fetch_values(ctx ? ctx : A->ctx, A, here, &F->halo, &F->rows));
    TULLE__TRY(tulle_mat_set_values(ctx, F->mat, F->rows.nnz, F->rows.values));
    return tulle_ctx_synchronize(ctx);
}

const tulle_mat *tulle_dist_rows_mat(const tulle_dist_rows *F) {
    return F ? F->mat : NULL;
}

void tulle_dist_rows_destroy(tulle_dist_rows *F) {
    if (!F) return;
    tulle_dist_mat *A = F->A;
    tulle__halo_release(A->ctx, &F->halo);
    tulle__guests_free(A->ctx, &F->rows);
    tulle_mat_destroy(F->mat);
    tulle__host_free(A->ctx, F);
    tulle_dist_mat_destroy(A);
}
