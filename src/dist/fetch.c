/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a distributed matrix that come from their owners, between memories of places. Lengths of
 * rows travel first, in host memory, then columns, and values last. */
#include "dist/functions.h"
#include "dist/rows.h"

void tulle__guests_free(tulle_ctx *ctx, tulle__guests *g) {
    tulle__host_free(ctx, g->offsets);
    tulle__free(ctx, g->columns);
    tulle__free(ctx, g->values);
    *g = (tulle__guests){.rows = 0};
}

/* Takes memory for the entries of rows whose offsets are known. */
static tulle_status make_room(tulle_ctx *ctx, tulle__guests *g) {
    size_t columns, values;
    g->nnz = g->offsets[g->rows];
    TULLE__TRY(tulle__size(g->nnz, sizeof *g->columns, 0, &columns));
    TULLE__TRY(tulle__size(g->nnz, tulle_type_size(g->type), 0, &values));
    TULLE__TRY(tulle__alloc(ctx, columns, (void **)&g->columns));
    return tulle__alloc(ctx, values, &g->values);
}

/* Joins the rows that a job lists, whose offsets are known. */
static tulle_status join(tulle_ctx *ctx, tulle__join_job *job, tulle__guests *went) {
    const size_t bytes = ((size_t)went->rows + 1) * sizeof *went->offsets;
    void *offsets = NULL;
    TULLE__TRY(make_room(ctx, went));
    TULLE__TRY(tulle__alloc(ctx, bytes, &offsets));
    tulle_status status = tulle__copy_wait(ctx, offsets, went->offsets, bytes);
    job->offset_size = job->index_size = sizeof(int64_t);
    job->offsets = offsets;
    job->cols_of = went->columns;
    job->values = went->values;
    if (status == TULLE_OK) status = ctx->backend->dist->dist_join(&ctx->place, job);
    tulle__free(ctx, offsets);
    return status;
}

tulle_status tulle__guests_join(tulle_ctx *ctx, tulle__join_job *job, tulle__guests *joined) {
    *joined = (tulle__guests){.rows = job->count, .type = job->type};
    TULLE__TRY(tulle__join_count(ctx, job, &joined->offsets));
    return join(ctx, job, joined);
}

/* Joins rows that go to others, one after the other. */
static tulle_status pack(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__halo *h,
                         tulle__guests *went) {
    tulle__join_job job;
    void *scratch = NULL;
    tulle_status status = tulle__join_begin(ctx, A, A->edge_col, &job, &scratch);
    job.rows = h->order;
    job.count = h->go_rows;
    job.shift = A->col_starts[A->comm->functions.rank];
    if (status == TULLE_OK) status = tulle__guests_join(ctx, &job, went);
    tulle__free(ctx, scratch);
    return status;
}

/* Sends items of `size` bytes of the rows' entries. */
static tulle_status send(tulle_ctx *ctx, tulle_comm *comm, tulle_status here, const tulle__halo *h,
                         size_t size, const tulle__guests *went, const void *go,
                         const tulle__guests *came, void *come) {
    return tulle__halo_send(ctx, comm, here, h,
                            &(tulle__halo_items){.size = size,
                                                 .in_place = true,
                                                 .go_at = went->offsets,
                                                 .come_at = came->offsets,
                                                 .go = go,
                                                 .come = come});
}

static tulle_status send_values(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                                const tulle__halo *h, const tulle__guests *went,
                                const tulle__guests *came) {
    const size_t size = (size_t)tulle_type_size(went->type);
    return send(ctx, comm, here, h, size, went, went->values, came, came->values);
}

/* Turns the lengths of rows behind offset 0 into offsets, or offsets into lengths. */
static void add_up(int64_t *offsets, int64_t rows) {
    for (int64_t k = 0; k < rows; k++) offsets[k + 1] += offsets[k];
}
static void take_apart(int64_t *offsets, int64_t rows) {
    for (int64_t k = rows; k > 0; k--) offsets[k] -= offsets[k - 1];
}

/* Sends lengths of rows; *came has offsets then. */
static tulle_status send_lengths(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                                 const tulle__halo *h, tulle__guests *went, tulle__guests *came) {
    *came = (tulle__guests){.rows = h->come_rows, .type = went->type};
    came->offsets = tulle__host_alloc(ctx, ((size_t)came->rows + 1) * sizeof *came->offsets);
    if (here == TULLE_OK && !came->offsets) here = TULLE_OUT_OF_MEMORY;
    if (here == TULLE_OK) take_apart(went->offsets, went->rows);
    const tulle__halo_items lengths = {.size = sizeof *went->offsets,
                                       .go = here == TULLE_OK ? went->offsets + 1 : NULL,
                                       .come = here == TULLE_OK ? came->offsets + 1 : NULL};
    TULLE__TRY(tulle__halo_send(ctx, comm, here, h, &lengths));
    add_up(went->offsets, went->rows);
    add_up(came->offsets, came->rows);
    return TULLE_OK;
}

tulle_status tulle__rows_send(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__halo *h, tulle__guests *went, tulle__guests *came) {
    TULLE__TRY(send_lengths(ctx, comm, here, h, went, came));
    here = make_room(ctx, came);
    TULLE__TRY(
        send(ctx, comm, here, h, sizeof *went->columns, went, went->columns, came, came->columns));
    return send_values(ctx, comm, TULLE_OK, h, went, came);
}

tulle_status tulle__rows_fetch(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                               const tulle__halo *h, tulle__guests *came) {
    tulle__guests went = {.rows = 0};
    if (here == TULLE_OK) here = pack(ctx, A, h, &went);
    const tulle_status status = tulle__rows_send(ctx, A->comm, here, h, &went, came);
    tulle__guests_free(ctx, &went);
    return status;
}

tulle_status tulle__rows_fetch_values(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                                      const tulle__halo *h, tulle__guests *came) {
    tulle__guests went = {.rows = 0};
    if (here == TULLE_OK) here = pack(ctx, A, h, &went);
    const tulle_status status = send_values(ctx, A->comm, here, h, &went, came);
    tulle__guests_free(ctx, &went);
    return status;
}
