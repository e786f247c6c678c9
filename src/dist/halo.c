/* SPDX-License-Identifier: Apache-2.0 */
/* Halos: who needs which rows of x, and their way. */
#include <string.h>

#include "dense/functions.h"
#include "dist/dist.h"
#include "vector/operands.h"

static int count_of(const int64_t *rows, int ranks) {
    int count = 0;
    for (int r = 0; r < ranks; r++) count += rows[r] > 0;
    return count;
}

/* Makes a list of the ranks with rows. */
static tulle_status list(tulle_ctx *ctx, const int64_t *rows, int ranks, tulle__neighbour **to,
                         int *count, int64_t *all) {
    *count = count_of(rows, ranks);
    *to = tulle__host_alloc(ctx, ((size_t)*count + 1) * sizeof **to);
    if (!*to) return TULLE_OUT_OF_MEMORY;
    int i = 0;
    *all = 0;
    for (int r = 0; r < ranks; r++) {
        if (rows[r] == 0) continue;
        (*to)[i++] = (tulle__neighbour){.rank = r, .first = *all, .rows = rows[r]};
        *all += rows[r];
    }
    return TULLE_OK;
}

/* Counts the rows of each rank that are needed. */
static void count_needs(const tulle__halo_needs *n, int64_t *needs) {
    int r = 0;
    for (int64_t k = 0; k < n->count; k++) {
        while (n->rows[k] >= n->starts[r + 1]) r++;
        needs[r]++;
    }
}

/* Makes the lists of neighbours from what each rank needs of each other one. */
static tulle_status make_lists(tulle_ctx *ctx, const tulle_comm *comm, const int64_t *all,
                               tulle__halo *h) {
    const int ranks = comm->functions.ranks, rank = comm->functions.rank;
    TULLE__TRY(list(ctx, all + (size_t)rank * (size_t)ranks, ranks, &h->come, &h->come_count,
                    &h->come_rows));
    int64_t *wanted = tulle__host_alloc(ctx, (size_t)ranks * sizeof *wanted);
    if (!wanted) return TULLE_OUT_OF_MEMORY;
    for (int r = 0; r < ranks; r++) wanted[r] = all[(size_t)r * (size_t)ranks + (size_t)rank];
    const tulle_status status = list(ctx, wanted, ranks, &h->go, &h->go_count, &h->go_rows);
    tulle__host_free(ctx, wanted);
    TULLE__TRY(status);
    const size_t pieces = (size_t)h->come_count + (size_t)h->go_count + 1;
    h->pieces = tulle__host_alloc(ctx, pieces * sizeof *h->pieces);
    h->go_row = tulle__host_alloc(ctx, ((size_t)h->go_rows + 1) * sizeof *h->go_row);
    return h->pieces && h->go_row ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

/* Writes the pieces of neighbours: rows of `row_bytes` bytes each. */
static void put_pieces(tulle_comm_piece *pieces, const tulle__neighbour *neighbours, int count,
                       void *data, size_t row_bytes) {
    for (int i = 0; i < count; i++) {
        pieces[i] =
            (tulle_comm_piece){.rank = neighbours[i].rank,
                               .bytes = (size_t)neighbours[i].rows * row_bytes,
                               .data = (char *)data + (size_t)neighbours[i].first * row_bytes};
    }
}

static tulle_status start(tulle_ctx *ctx, tulle_dist_mat *A, bool back, void *went, void *came,
                          size_t row_bytes) {
    tulle__halo *h = &A->halo;
    tulle_comm_piece *come = h->pieces, *go = h->pieces + h->come_count;
    put_pieces(come, h->come, h->come_count, came, row_bytes);
    put_pieces(go, h->go, h->go_count, went, row_bytes);
    return back ? tulle__comm_exchange_start(A->comm, ctx, come, h->come_count, go, h->go_count)
                : tulle__comm_exchange_start(A->comm, ctx, go, h->go_count, come, h->come_count);
}

/* Tells the owners which of their rows are needed here, and turns what is needed of this process
 * into own rows. */
static tulle_status tell_rows(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__halo_needs *n, tulle__halo *h) {
    tulle__dist_pieces p = {.send_count = 0};
    if (here == TULLE_OK) {
        p = (tulle__dist_pieces){.sends = h->pieces,
                                 .send_count = h->come_count,
                                 .receives = h->pieces + h->come_count,
                                 .receive_count = h->go_count};
        put_pieces(h->pieces, h->come, h->come_count, (void *)(uintptr_t)n->rows, sizeof *n->rows);
        put_pieces(h->pieces + h->come_count, h->go, h->go_count, h->go_row, sizeof *h->go_row);
    }
    TULLE__TRY(tulle__dist_exchange(ctx, comm, here, &p));
    const int64_t first = n->starts[comm->functions.rank];
    for (int64_t i = 0; i < h->go_rows; i++) h->go_row[i] -= first;
    return TULLE_OK;
}

tulle_status tulle__halo_make(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__halo_needs *n, tulle__halo *h) {
    const size_t ranks = (size_t)comm->functions.ranks;
    int64_t *all =
        here == TULLE_OK ? tulle__host_alloc(ctx, (ranks * ranks + ranks) * sizeof *all) : NULL;
    if (here == TULLE_OK && !all) here = TULLE_OUT_OF_MEMORY;
    tulle_status status = tulle__comm_agree(comm, NULL, here, NULL, 0);
    if (status == TULLE_OK) {
        int64_t *needs = all + ranks * ranks;
        count_needs(n, needs);
        status = tulle__comm_gather(comm, needs, ranks * sizeof *needs, all);
    }
    if (status == TULLE_OK) {
        status = tell_rows(ctx, comm, make_lists(ctx, comm, all, h), n, h);
    }
    tulle__host_free(ctx, all);
    return status;
}

tulle_status tulle__halo_place(tulle_ctx *ctx, tulle__halo *h) {
    const size_t bytes = (size_t)h->go_rows * sizeof *h->go_row;
    TULLE__TRY(tulle__alloc(ctx, bytes, &h->order));
    return tulle__copy_wait(ctx, h->order, h->go_row, bytes);
}

/* Writes pieces whose row k has the items from at[k] to at[k + 1] - 1; at NULL: item k. */
static void put_items(tulle_comm_piece *pieces, const tulle__neighbour *neighbours, int count,
                      const int64_t *at, const void *data, size_t item) {
    for (int i = 0; i < count; i++) {
        const int64_t first = neighbours[i].first, last = first + neighbours[i].rows;
        const int64_t begin = at ? at[first] : first, end = at ? at[last] : last;
        pieces[i] = (tulle_comm_piece){.rank = neighbours[i].rank,
                                       .bytes = (size_t)(end - begin) * item,
                                       .data = (char *)(uintptr_t)data + (size_t)begin * item};
    }
}

tulle_status tulle__halo_send(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__halo *h, const tulle__halo_items *items) {
    tulle__dist_pieces p = {.send_count = 0};
    if (here == TULLE_OK) {
        p = (tulle__dist_pieces){.in_place = items->in_place,
                                 .sends = h->pieces,
                                 .send_count = h->go_count,
                                 .receives = h->pieces + h->go_count,
                                 .receive_count = h->come_count};
        put_items(h->pieces, h->go, h->go_count, items->go_at, items->go, items->size);
        put_items(h->pieces + h->go_count, h->come, h->come_count, items->come_at, items->come,
                  items->size);
    }
    return tulle__dist_exchange(ctx, comm, here, &p);
}

void tulle__halo_release(tulle_ctx *ctx, tulle__halo *halo) {
    tulle__host_free(ctx, halo->come);
    tulle__host_free(ctx, halo->go);
    tulle__host_free(ctx, halo->pieces);
    tulle__host_free(ctx, halo->go_row);
    tulle__free(ctx, halo->order);
    tulle__own_vector_release(&halo->went);
    tulle__own_vector_release(&halo->came);
}

tulle_status tulle__dist_take(tulle_ctx *ctx, const tulle_dist_mat *A, tulle__own_vector *own,
                              int64_t rows, int64_t cols, tulle_vec *view) {
    const tulle_vec like = {.cols = cols, .layout = TULLE_ROW_MAJOR};
    return tulle__own_vector_take(ctx, own, A->type, rows, &like, view);
}

static size_t row_bytes(const tulle_dist_mat *A, int64_t cols) {
    return (size_t)(cols * tulle_type_size(A->type));
}

tulle_status tulle__halo_start(tulle_ctx *ctx, tulle_dist_mat *A, const tulle_vec *X,
                               tulle_vec *came) {
    tulle__halo *h = &A->halo;
    const tulle__strided x = tulle__strided_of(X);
    tulle_vec went;
    TULLE__TRY(tulle__dist_take(ctx, A, &h->came, h->come_rows, X->cols, came));
    TULLE__TRY(tulle__dist_take(ctx, A, &h->went, h->go_rows, X->cols, &went));
    if (h->go_rows > 0) {
        TULLE__TRY(ctx->backend->dense->gather_rows(
            &ctx->place, &(tulle__gather){.rows = h->go_rows,
                                          .cols = X->cols,
                                          .order_size = sizeof(int64_t),
                                          .order = h->order,
                                          .item_size = tulle_type_size(A->type),
                                          .from = x.data,
                                          .from_row = x.row,
                                          .from_col = x.col,
                                          .to = went.data,
                                          .to_row = X->cols,
                                          .to_col = 1}));
    }
    return start(ctx, A, false, went.data, came->data, row_bytes(A, X->cols));
}

tulle_status tulle__halo_start_back(tulle_ctx *ctx, tulle_dist_mat *A, const tulle_vec *from) {
    tulle_vec went;
    TULLE__TRY(tulle__dist_take(ctx, A, &A->halo.went, A->halo.go_rows, from->cols, &went));
    return start(ctx, A, true, went.data, from->data, row_bytes(A, from->cols));
}

/* Adds the rows of one process after those of another, so that rows differ and bits repeat. */
tulle_status tulle__halo_add_back(tulle_ctx *ctx, tulle_dist_mat *A, tulle_vec *Y) {
    const tulle__halo *h = &A->halo;
    const tulle__strided y = tulle__strided_of(Y);
    for (int i = 0; i < h->go_count; i++) {
        const tulle__neighbour *of = h->go + i;
        TULLE__TRY(ctx->backend->dense->scatter_rows(
            &ctx->place, &(tulle__gather){.rows = of->rows,
                                          .cols = Y->cols,
                                          .order_size = sizeof(int64_t),
                                          .order = (const int64_t *)h->order + of->first,
                                          .item_size = tulle_type_size(A->type),
                                          .from = (const char *)h->went.data +
                                                  (size_t)of->first * row_bytes(A, Y->cols),
                                          .from_row = Y->cols,
                                          .from_col = 1,
                                          .to = y.data,
                                          .to_row = y.row,
                                          .to_col = y.col,
                                          .adds = true}));
    }
    return TULLE_OK;
}
