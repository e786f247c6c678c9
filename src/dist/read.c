/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_mat_read. */
#include "dist/functions.h"
#include "dist/rows.h"
#include "matrix/operand.h"

/* The rows in the place's memory. */
typedef struct room {
    void *offsets, *columns, *values;
    void *scratch; /* memory of the job */
} room;

static tulle_status join(tulle_ctx *ctx, const tulle_dist_mat *A, room *r) {
    const size_t word = sizeof(int64_t), entries = (size_t)A->nnz;
    tulle__join_job job;
    TULLE__TRY(tulle__join_begin(ctx, A, A->edge_col, &job, &r->scratch));
    TULLE__TRY(tulle__alloc(ctx, ((size_t)A->rows + 1) * word, &r->offsets));
    TULLE__TRY(tulle__alloc(ctx, entries * word, &r->columns));
    TULLE__TRY(tulle__alloc(ctx, entries * (size_t)tulle_type_size(A->type), &r->values));
    job.shift = A->col_starts[A->comm->functions.rank];
    job.offset_size = job.index_size = sizeof(int64_t);
    job.offsets = r->offsets;
    job.cols_of = r->columns;
    job.values = r->values;
    return ctx->backend->dist->dist_join(&ctx->place, &job);
}

static tulle_status read_rows(tulle_ctx *ctx, const tulle_dist_mat *A, const room *r,
                              int64_t *offsets, int64_t *columns, void *values) {
    const size_t word = sizeof(int64_t), entries = (size_t)A->nnz;
    offsets[0] = 0;
    if (A->rows == 0) return TULLE_OK;
    TULLE__TRY(tulle__copy_wait(ctx, offsets, r->offsets, ((size_t)A->rows + 1) * word));
    if (entries == 0) return TULLE_OK;
    TULLE__TRY(tulle__copy_wait(ctx, columns, r->columns, entries * word));
    return tulle__copy_wait(ctx, values, r->values, entries * (size_t)tulle_type_size(A->type));
}

tulle_status tulle_dist_mat_read(tulle_ctx *ctx, const tulle_dist_mat *A, int64_t *offsets,
                                 int64_t *columns, void *values) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(offsets);
    if (A->nnz > 0) {
        TULLE__NEED(columns);
        TULLE__NEED(values);
    }
    TULLE__TRY(tulle__check_space_of(__func__, "A", ctx, A->block));
    room r = {.offsets = NULL};
    tulle_status status = join(ctx, A, &r);
    if (status == TULLE_OK) status = read_rows(ctx, A, &r, offsets, columns, values);
    tulle__free(ctx, r.offsets);
    tulle__free(ctx, r.columns);
    tulle__free(ctx, r.values);
    tulle__free(ctx, r.scratch);
    return status;
}
