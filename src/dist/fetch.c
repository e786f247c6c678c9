/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a distributed matrix that come from their owners. Lengths of rows travel first, then
 * columns, and values last. */
#include "dist/rows.h"

/* Copies rows that go to others to host memory, one after the other. */
static tulle_status pack(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__halo *h,
                         tulle__rows *went) {
    tulle__join_job job;
    void *scratch = NULL;
    int64_t *offsets = NULL;
    tulle_status status = tulle__join_begin(ctx, A, A->edge_col, &job, &scratch);
    job.rows = h->order;
    job.count = h->go_rows;
    job.shift = A->col_starts[A->comm->functions.rank];
    if (status == TULLE_OK) status = tulle__join_count(ctx, &job, &offsets);
    if (status == TULLE_OK) {
        status = tulle__rows_make(ctx, A->type, h->go_rows, offsets[h->go_rows], went);
        tulle__host_free(ctx, went->offsets);
        went->offsets = offsets;
        offsets = NULL;
    }
    if (status == TULLE_OK) status = tulle__join_read(ctx, &job, went);
    tulle__host_free(ctx, offsets);
    tulle__free(ctx, scratch);
    return status;
}

static tulle_status send_values(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                                const tulle__halo *h, const tulle__rows *went, tulle__rows *came) {
    return tulle__halo_send(ctx, comm, here, h,
                            &(tulle__halo_items){.size = (size_t)tulle_type_size(went->type),
                                                 .go_at = went->offsets,
                                                 .come_at = came->offsets,
                                                 .go = went->values,
                                                 .come = came->values});
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
                                 const tulle__halo *h, tulle__rows *went, tulle__rows *came) {
    if (here == TULLE_OK) here = tulle__rows_make(ctx, went->type, h->come_rows, 0, came);
    if (here == TULLE_OK) take_apart(went->offsets, went->rows);
    const tulle__halo_items lengths = {.size = sizeof *went->offsets,
                                       .go = here == TULLE_OK ? went->offsets + 1 : NULL,
                                       .come = here == TULLE_OK ? came->offsets + 1 : NULL};
    TULLE__TRY(tulle__halo_send(ctx, comm, here, h, &lengths));
    add_up(went->offsets, went->rows);
    add_up(came->offsets, came->rows);
    return TULLE_OK;
}

/* Makes room for the entries of rows whose offsets are known. */
static tulle_status make_room(tulle_ctx *ctx, tulle__rows *came) {
    tulle__rows made;
    const int64_t nnz = came->offsets[came->rows];
    const tulle_status status = tulle__rows_make(ctx, came->type, came->rows, nnz, &made);
    for (int64_t k = 0; status == TULLE_OK && k <= came->rows; k++) {
        made.offsets[k] = came->offsets[k];
    }
    tulle__rows_free(ctx, came);
    *came = made;
    return status;
}

tulle_status tulle__rows_fetch(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                               const tulle__halo *h, tulle__rows *came) {
    tulle__rows went = {.rows = 0};
    *came = (tulle__rows){.rows = 0};
    if (here == TULLE_OK) here = pack(ctx, A, h, &went);
    tulle_status status = send_lengths(ctx, A->comm, here, h, &went, came);
    if (status == TULLE_OK) {
        here = make_room(ctx, came);
        status = tulle__halo_send(ctx, A->comm, here, h,
                                  &(tulle__halo_items){.size = sizeof *went.columns,
                                                       .go_at = went.offsets,
                                                       .come_at = came->offsets,
                                                       .go = went.columns,
                                                       .come = came->columns});
    }
    if (status == TULLE_OK) status = send_values(ctx, A->comm, TULLE_OK, h, &went, came);
    tulle__rows_free(ctx, &went);
    return status;
}

tulle_status tulle__rows_fetch_values(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                                      const tulle__halo *h, tulle__rows *came) {
    tulle__rows went = {.rows = 0};
    if (here == TULLE_OK) here = pack(ctx, A, h, &went);
    const tulle_status status = send_values(ctx, A->comm, here, h, &went, came);
    tulle__rows_free(ctx, &went);
    return status;
}
