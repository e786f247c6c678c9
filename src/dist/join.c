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

/* Memory of the place for rows that are joined. */
typedef struct room {
    void *offsets, *columns, *values;
} room;

static tulle_status read_joined(tulle_ctx *ctx, tulle__join_job *job, int64_t nnz,
                                const tulle__rows *to, room *r) {
    const size_t offsets = ((size_t)job->count + 1) * sizeof *to->offsets;
    const size_t columns = (size_t)nnz * sizeof *to->columns;
    const size_t values = (size_t)nnz * (size_t)tulle_type_size(job->type);
    TULLE__TRY(tulle__alloc(ctx, offsets, &r->offsets));
    TULLE__TRY(tulle__alloc(ctx, columns, &r->columns));
    TULLE__TRY(tulle__alloc(ctx, values, &r->values));
    if (job->rows) TULLE__TRY(tulle__copy_wait(ctx, r->offsets, to->offsets, offsets));
    job->offset_size = job->index_size = sizeof(int64_t);
    job->offsets = r->offsets;
    job->cols_of = r->columns;
    job->values = r->values;
    TULLE__TRY(ctx->backend->dist->dist_join(&ctx->place, job));
    if (!job->rows) TULLE__TRY(tulle__copy_wait(ctx, to->offsets, r->offsets, offsets));
    if (nnz == 0) return TULLE_OK;
    TULLE__TRY(tulle__copy_wait(ctx, to->columns, r->columns, columns));
    return tulle__copy_wait(ctx, to->values, r->values, values);
}

tulle_status tulle__join_read(tulle_ctx *ctx, tulle__join_job *job, const tulle__rows *to) {
    const int64_t nnz = job->rows ? to->offsets[job->count] : job->block.nnz + job->edge.nnz;
    room r = {.offsets = NULL};
    if (job->count == 0) {
        to->offsets[0] = 0;
        return TULLE_OK;
    }
    const tulle_status status = read_joined(ctx, job, nnz, to, &r);
    tulle__free(ctx, r.offsets);
    tulle__free(ctx, r.columns);
    tulle__free(ctx, r.values);
    return status;
}
