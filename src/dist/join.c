/* SPDX-License-Identifier: Apache-2.0 */
/* The joining of rows of a distributed matrix: what comes before and after the back end's work. */
#include "dist/join.h"

#include "dist/functions.h"
#include "dist/rows.h"
#include "matrix/build.h"

static int64_t lower_of(const tulle_dist_mat *A) {
    const int64_t first = A->col_starts[A->comm->functions.rank];
    int64_t low = 0;
    TULLE__LOWER_BOUND(low, A->halo.come_rows, k, A->edge_col[k] < first);
    return low;
}

tulle__columns tulle__columns_of(const tulle_dist_mat *A) {
    const int rank = A->comm->functions.rank;
    return (tulle__columns){.begin = A->col_starts[rank],
                            .end = A->col_starts[rank + 1],
                            .others = A->edge_col,
                            .count = A->halo.come_rows,
                            .lower = lower_of(A)};
}

tulle_status tulle__join_begin(tulle_ctx *ctx, const tulle_dist_mat *A, const int64_t *names,
                               tulle__join_job *job, void **scratch) {
    const size_t bytes = (size_t)A->halo.come_rows * sizeof *names;
    *job = (tulle__join_job){.block = tulle__view_of(A->block->pattern),
                             .block_values = A->block->values.data,
                             .type = A->type,
                             .count = A->rows};
    *scratch = NULL;
    if (!A->edge) return TULLE_OK;
    job->edge = tulle__view_of(A->edge->pattern);
    job->edge_values = A->edge->values.data;
    job->edge_row = A->edge_order;
    job->lower = lower_of(A);
    TULLE__TRY(tulle__alloc(ctx, bytes, scratch));
    job->names = *scratch;
    return tulle__copy_wait(ctx, *scratch, names, bytes);
}

tulle_status tulle__join_count(tulle_ctx *ctx, const tulle__join_job *job, int64_t **offsets) {
    const size_t bytes = (size_t)job->count * sizeof **offsets;
    void *lengths = NULL;
    *offsets = tulle__host_alloc(ctx, bytes + sizeof **offsets);
    tulle_status status = *offsets ? tulle__alloc(ctx, bytes, &lengths) : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) status = ctx->backend->dist->dist_measure(&ctx->place, job, lengths);
    if (status == TULLE_OK) status = tulle__copy_wait(ctx, *offsets + 1, lengths, bytes);
    tulle__free(ctx, lengths);
    for (int64_t k = 0; k < job->count && status == TULLE_OK; k++)
        (*offsets)[k + 1] += (*offsets)[k];
    return status;
}
