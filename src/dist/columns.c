/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a whole matrix in a local numbering that keeps their order, so that sums in the order
 * of columns have the bits that they have in one process. */
#include <string.h>

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

tulle_status tulle__columns_with(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__rows *came,
                                 tulle__columns *made) {
    const int64_t nnz = came->offsets[came->rows];
    TULLE__TRY(begin(ctx, A, nnz, made));
    int64_t count = A->halo.come_rows;
    for (int64_t k = 0; k < nnz; k++) {
        const int64_t column = came->columns[k];
        if (column < made->begin || column >= made->end) made->made[count++] = column;
    }
    return make(ctx, count, made);
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
