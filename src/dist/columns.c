/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a whole matrix in a local numbering that keeps their order, so that sums in the order
 * of columns have the bits that they have in one process. */
#include "dist/functions.h"
#include "dist/rows.h"

/* Makes the numbering of A's columns and of other ones that are listed, ascending, each once. */
static tulle_status make(tulle_ctx *ctx, const tulle_dist_mat *A, const int64_t *more,
                         int64_t more_count, tulle__columns *made) {
    const int rank = A->comm->functions.rank;
    const int64_t edge = A->halo.come_rows;
    *made = (tulle__columns){.begin = A->col_starts[rank], .end = A->col_starts[rank + 1]};
    made->made = tulle__host_alloc(ctx, (size_t)(edge + more_count + 1) * sizeof *made->made);
    if (!made->made) return TULLE_OUT_OF_MEMORY;
    made->others = made->made;
    for (int64_t a = 0, b = 0; a < edge || b < more_count; made->count++) {
        const int64_t of_A = a < edge ? A->edge_col[a] : INT64_MAX;
        const int64_t other = b < more_count ? more[b] : INT64_MAX;
        const int64_t least = of_A < other ? of_A : other;
        a += of_A == least;
        b += other == least;
        made->lower += least < made->begin;
        made->made[made->count] = least;
    }
    return TULLE_OK;
}

/* Finds the columns that a job lists in the place's memory, and copies them to the host's. */
static tulle_status find(tulle_ctx *ctx, const tulle__others_job *job, int64_t **others,
                         int64_t *count) {
    TULLE__TRY(ctx->backend->dist->dist_list_others(&ctx->place, job, count));
    *others = tulle__host_alloc(ctx, (size_t)*count * sizeof **others + 1);
    if (!*others) return TULLE_OUT_OF_MEMORY;
    if (*count == 0) return TULLE_OK;
    return tulle__copy_wait(ctx, *others, job->others, (size_t)*count * sizeof **others);
}

tulle_status tulle__columns_list(tulle_ctx *ctx, const tulle__guests *came, int64_t begin,
                                 int64_t end, int64_t all, int64_t **others, int64_t *count) {
    void *listed = NULL;
    TULLE__TRY(tulle__alloc(ctx, (size_t)came->nnz * sizeof **others, &listed));
    const tulle__others_job job = {.count = came->nnz,
                                   .columns = came->columns,
                                   .begin = begin,
                                   .end = end,
                                   .all = all,
                                   .others = listed};
    const tulle_status status = find(ctx, &job, others, count);
    tulle__free(ctx, listed);
    return status;
}

tulle_status tulle__columns_with(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__guests *came,
                                 tulle__columns *made) {
    const int ranks = A->comm->functions.ranks, rank = A->comm->functions.rank;
    int64_t *others = NULL, count = 0;
    tulle_status status =
        tulle__columns_list(ctx, came, A->col_starts[rank], A->col_starts[rank + 1],
                            A->col_starts[ranks], &others, &count);
    if (status == TULLE_OK) status = make(ctx, A, others, count, made);
    tulle__host_free(ctx, others);
    return status;
}

tulle_status tulle__columns_of_both(tulle_ctx *ctx, const tulle_dist_mat *A,
                                    const tulle_dist_mat *B, tulle__columns *made) {
    return make(ctx, A, B->edge_col, B->halo.come_rows, made);
}

void tulle__columns_free(tulle_ctx *ctx, tulle__columns *c) {
    tulle__host_free(ctx, c->made);
    *c = (tulle__columns){.count = 0};
}
