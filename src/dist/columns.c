/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a whole matrix in a local numbering that keeps their order, so that sums in the order
 * of columns have the bits that they have in one process. */
#include <string.h>

#include "dist/functions.h"
#include "dist/numbers.h"
#include "dist/rows.h"

/* Makes the numbering of own columns and of others that are listed, in any order. */
static tulle_status make(tulle_ctx *ctx, int64_t count, tulle__columns *made) {
    TULLE__TRY(tulle__numbers_sort(ctx, made->made, &count));
    for (int64_t k = 0; k < count; k++) made->lower += made->made[k] < made->begin;
    made->count = count;
    made->others = made->made;
    return TULLE_OK;
}

static tulle_status begin(tulle_ctx *ctx, const tulle_dist_mat *A, int64_t more,
                          tulle__columns *made) {
    const int rank = A->comm->functions.rank;
    const int64_t edge = A->halo.come_rows;
    *made = (tulle__columns){.begin = A->col_starts[rank], .end = A->col_starts[rank + 1]};
    made->made = tulle__host_alloc(ctx, (size_t)(edge + more + 1) * sizeof *made->made);
    if (!made->made) return TULLE_OUT_OF_MEMORY;
    if (edge > 0) memcpy(made->made, A->edge_col, (size_t)edge * sizeof *made->made);
    return TULLE_OK;
}

/* Finds the other columns of rows that came, and the end of the list of A's other columns, where
 * they are put, when there is room for them. */
static tulle_status add_others(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__guests *came,
                               void *listed, tulle__columns *made, int64_t *count) {
    const int ranks = A->comm->functions.ranks, rank = A->comm->functions.rank;
    const tulle__others_job job = {.count = came->nnz,
                                   .columns = came->columns,
                                   .begin = A->col_starts[rank],
                                   .end = A->col_starts[rank + 1],
                                   .all = A->col_starts[ranks],
                                   .others = listed};
    int64_t found = 0;
    TULLE__TRY(ctx->backend->dist->dist_list_others(&ctx->place, &job, &found));
    TULLE__TRY(begin(ctx, A, found, made));
    *count = A->halo.come_rows + found;
    if (found == 0) return TULLE_OK;
    return tulle__copy_wait(ctx, made->made + A->halo.come_rows, listed,
                            (size_t)found * sizeof *made->made);
}

tulle_status tulle__columns_with(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__guests *came,
                                 tulle__columns *made) {
    void *listed = NULL;
    int64_t count = 0;
    TULLE__TRY(tulle__alloc(ctx, (size_t)came->nnz * sizeof *made->made, &listed));
    const tulle_status status = add_others(ctx, A, came, listed, made, &count);
    tulle__free(ctx, listed);
    return status == TULLE_OK ? make(ctx, count, made) : status;
}

tulle_status tulle__columns_of_both(tulle_ctx *ctx, const tulle_dist_mat *A,
                                    const tulle_dist_mat *B, tulle__columns *made) {
    const int64_t of_A = A->halo.come_rows, of_B = B->halo.come_rows;
    TULLE__TRY(begin(ctx, A, of_B, made));
    if (of_B > 0) memcpy(made->made + of_A, B->edge_col, (size_t)of_B * sizeof *made->made);
    return make(ctx, of_A + of_B, made);
}

void tulle__columns_free(tulle_ctx *ctx, tulle__columns *c) {
    tulle__host_free(ctx, c->made);
    *c = (tulle__columns){.count = 0};
}

int64_t tulle__columns_place(const tulle__columns *c, int64_t column, int64_t *near) {
    if (column >= c->begin && column < c->end) return c->lower + column - c->begin;
    const int64_t k = tulle__numbers_place(c->others, c->count, column, near);
    return k < c->lower ? k : k + c->end - c->begin;
}
