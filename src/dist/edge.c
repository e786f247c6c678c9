/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are made of the two matrices of a distributed one: operators, and the rows of the
 * edge with all their entries. */
#include "core/access.h"
#include "dist/functions.h"
#include "dist/rows.h"
#include "matrix/build.h"

/* Begins the joining of the edge's rows, whose columns are the own ones and then the edge's. */
static tulle_status begin(const tulle_dist_mat *A, tulle__join_job *job, void **scratch) {
    const int64_t others = A->halo.come_rows;
    int64_t *names = tulle__host_alloc(A->ctx, (size_t)others * sizeof *names + 1);
    if (!names) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < others; k++) names[k] = A->cols + k;
    const tulle_status status = tulle__join_begin(A->ctx, A, names, job, scratch);
    tulle__host_free(A->ctx, names);
    job->rows = A->edge_order;
    job->count = A->edge_rows;
    return status;
}

static void aim(tulle__join_job *job, tulle_index index, void *offsets) {
    job->offset_size = tulle_offset_size(index);
    job->index_size = tulle_index_size(index);
    job->offsets = offsets;
}

/* Copies offsets to the place's memory, in the type that they have there. */
static tulle_status put_offsets(const tulle__draft *d, int64_t *offsets) {
    const int64_t size = tulle_offset_size(d->index);
    for (int64_t k = 0; k <= d->rows; k++) tulle__put(offsets, size, k, offsets[k]);
    return tulle__copy_wait(d->ctx, d->arrays.offsets, offsets, (size_t)((d->rows + 1) * size));
}

/* Makes the matrix of the edge's rows, whose offsets are known. */
static tulle_status fill(const tulle_dist_mat *A, tulle__join_job *job, int64_t *offsets,
                         tulle_mat **rim) {
    const int64_t cols = A->cols + A->halo.come_rows, nnz = offsets[A->edge_rows];
    tulle__draft d = {.ctx = A->ctx,
                      .rows = A->edge_rows,
                      .cols = cols,
                      .nnz = nnz,
                      .format = TULLE_CSR,
                      .index = tulle__local_index(A->edge_rows, cols, nnz),
                      .type = A->type};
    TULLE__TRY(tulle__draft_alloc(&d));
    aim(job, d.index, d.arrays.offsets);
    job->cols_of = d.arrays.cols_of;
    job->values = d.values;
    tulle_status status = put_offsets(&d, offsets);
    if (status == TULLE_OK) status = A->ctx->backend->dist->dist_join(&A->ctx->place, job);
    if (status == TULLE_OK) return tulle__draft_finish(&d, NULL, rim);
    tulle__draft_free(&d);
    return status;
}

static tulle_status make_rim(tulle_dist_mat *A) {
    tulle__join_job job;
    void *scratch = NULL;
    int64_t *offsets = NULL;
    tulle_status status = begin(A, &job, &scratch);
    if (status == TULLE_OK) status = tulle__join_count(A->ctx, &job, &offsets);
    if (status == TULLE_OK) status = fill(A, &job, offsets, &A->whole_edge);
    tulle__host_free(A->ctx, offsets);
    tulle__free(A->ctx, scratch);
    return status;
}

tulle_status tulle__dist_place_edge(tulle_dist_mat *A) {
    const size_t bytes = (size_t)A->edge_rows * sizeof *A->edge_row;
    TULLE__TRY(tulle__alloc(A->ctx, bytes, &A->edge_order));
    return tulle__copy_wait(A->ctx, A->edge_order, A->edge_row, bytes);
}

tulle_status tulle__dist_assemble(tulle_dist_mat *A) {
    TULLE__TRY(tulle_linop_from_mat(A->ctx, A->block, &A->inner));
    if (A->edge_rows == 0) return TULLE_OK;
    TULLE__TRY(tulle_linop_from_mat(A->ctx, A->edge, &A->outer));
    TULLE__TRY(make_rim(A));
    return tulle_linop_from_mat(A->ctx, A->whole_edge, &A->rim);
}

tulle_status tulle__dist_refresh(tulle_dist_mat *A) {
    tulle__join_job job;
    void *scratch = NULL;
    tulle_linop_destroy(A->back);
    A->back = NULL;
    if (A->edge_rows == 0) return TULLE_OK;
    tulle_status status = begin(A, &job, &scratch);
    if (status == TULLE_OK) {
        aim(&job, A->whole_edge->pattern->index, A->whole_edge->pattern->offsets.data);
        job.values = A->whole_edge->values.data;
        status = A->ctx->backend->dist->dist_join(&A->ctx->place, &job);
    }
    tulle__free(A->ctx, scratch);
    TULLE__TRY(status);
    return tulle_mat_values_changed(A->ctx, A->whole_edge);
}
