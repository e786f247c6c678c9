/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a distributed matrix: the block is transposed where it is, and each entry of the
 * edge travels to the process that has its column. */
#include <string.h>

#include "dist/numbers.h"
#include "dist/rows.h"
#include "matrix/build.h"

/* An entry on its way. */
typedef struct entry {
    int64_t row, column; /* in the whole matrix */
    char value[8];
} entry;

/* Entries that go and come, by rank. */
typedef struct travel {
    entry *go, *come;
    int64_t *counts;                /* [ranks * ranks] entries of each rank for each other one */
    int64_t *go_first, *come_first; /* [ranks + 1] */
    tulle_comm_piece *pieces;       /* [2 * ranks] */
} travel;

static tulle_status take_tables(tulle_ctx *ctx, size_t ranks, travel *t) {
    t->counts = tulle__host_alloc(ctx, ranks * ranks * sizeof *t->counts);
    t->go_first = tulle__host_alloc(ctx, (ranks + 1) * sizeof *t->go_first);
    t->come_first = tulle__host_alloc(ctx, (ranks + 1) * sizeof *t->come_first);
    t->pieces = tulle__host_alloc(ctx, 2 * ranks * sizeof *t->pieces);
    const bool all = t->counts && t->go_first && t->come_first && t->pieces;
    return all ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static void give_back(tulle_ctx *ctx, travel *t) {
    tulle__host_free(ctx, t->go);
    tulle__host_free(ctx, t->come);
    tulle__host_free(ctx, t->counts);
    tulle__host_free(ctx, t->go_first);
    tulle__host_free(ctx, t->come_first);
    tulle__host_free(ctx, t->pieces);
}

/* Returns the rank that has a column; near: a rank to begin with. */
static int owner_of(const tulle_dist_mat *A, int64_t column, int near) {
    while (column < A->col_starts[near]) near--;
    while (column >= A->col_starts[near + 1]) near++;
    return near;
}

/* Sorts the entries of the edge by the rank that they go to, in the order of rows. */
static void sort(const tulle_dist_mat *A, const tulle__rows *edge, travel *t) {
    const int ranks = A->comm->functions.ranks;
    const int64_t first = A->row_starts[A->comm->functions.rank];
    const size_t size = (size_t)tulle_type_size(A->type);
    int to = 0;
    for (int64_t k = 0; k < edge->offsets[edge->rows]; k++) {
        to = owner_of(A, A->edge_col[edge->columns[k]], to);
        t->go_first[to + 1]++;
    }
    for (int r = 0; r < ranks; r++) t->go_first[r + 1] += t->go_first[r];
    for (int64_t i = 0; i < edge->rows; i++) {
        for (int64_t k = edge->offsets[i]; k < edge->offsets[i + 1]; k++) {
            const int64_t column = A->edge_col[edge->columns[k]];
            to = owner_of(A, column, to);
            entry *e = t->go + t->go_first[to]++;
            e->row = first + A->edge_row[i];
            e->column = column;
            memcpy(e->value, (char *)edge->values + (size_t)k * size, size);
        }
    }
    for (int r = ranks; r > 0; r--) t->go_first[r] = t->go_first[r - 1];
    t->go_first[0] = 0;
}

static tulle_status pack(tulle_ctx *ctx, const tulle_dist_mat *A, travel *t) {
    tulle__rows edge = {.rows = 0};
    if (!A->edge) return TULLE_OK;
    tulle_status status = tulle__rows_of_mat(ctx, A->edge, &edge);
    t->go = tulle__host_alloc(ctx, (size_t)A->edge->pattern->nnz * sizeof *t->go + 1);
    if (status == TULLE_OK && !t->go) status = TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) sort(A, &edge, t);
    tulle__rows_free(ctx, &edge);
    return status;
}

/* Makes room for the entries that come, and the pieces. */
static tulle_status prepare(tulle_ctx *ctx, const tulle_comm *comm, travel *t) {
    const size_t ranks = (size_t)comm->functions.ranks, rank = (size_t)comm->functions.rank;
    for (size_t r = 0; r < ranks; r++) {
        t->come_first[r + 1] = t->come_first[r] + t->counts[r * ranks + rank];
    }
    t->come = tulle__host_alloc(ctx, (size_t)t->come_first[ranks] * sizeof *t->come + 1);
    if (!t->come) return TULLE_OUT_OF_MEMORY;
    for (size_t r = 0; r < ranks; r++) {
        const int64_t go = t->go_first[r + 1] - t->go_first[r];
        const int64_t come = t->come_first[r + 1] - t->come_first[r];
        t->pieces[r] =
            (tulle_comm_piece){(int)r, (size_t)go * sizeof(entry), t->go + t->go_first[r]};
        t->pieces[ranks + r] =
            (tulle_comm_piece){(int)r, (size_t)come * sizeof(entry), t->come + t->come_first[r]};
    }
    return TULLE_OK;
}

/* The matrix to be transposed, and the entries that came. */
typedef struct pieces {
    const tulle_dist_mat *A;
    const travel *came;
} pieces;

/* Lists the rows of T's edge: own columns of A that other processes have entries in are those that
 * A's halo sends rows for. */
static tulle_status list_rows(tulle_dist_mat *T, const tulle_dist_mat *A, int64_t nnz) {
    const size_t bytes = (size_t)A->halo.go_rows * sizeof *T->edge_row;
    T->edge_row = tulle__host_alloc(T->ctx, bytes + 1);
    T->edge_col = tulle__host_alloc(T->ctx, (size_t)nnz * sizeof *T->edge_col + 1);
    if (!T->edge_row || !T->edge_col) return TULLE_OUT_OF_MEMORY;
    if (bytes > 0) memcpy(T->edge_row, A->halo.go_row, bytes);
    T->edge_rows = A->halo.go_rows;
    return tulle__numbers_sort(T->ctx, T->edge_row, &T->edge_rows);
}

/* Gives T the edge of the entries that came, which stand in the order of T's columns. Their columns
 * in A become numbers of edge's rows. */
static tulle_status unpack(tulle_dist_mat *T, const pieces *p, tulle__rows *edge) {
    const travel *t = p->came;
    const int64_t first = T->row_starts[T->comm->functions.rank];
    const int64_t nnz = t->come_first[T->comm->functions.ranks];
    const size_t size = (size_t)tulle_type_size(T->type);
    int64_t near = 0;
    TULLE__TRY(list_rows(T, p->A, nnz));
    TULLE__TRY(tulle__rows_make(T->ctx, T->type, T->edge_rows, nnz, edge));
    for (int64_t k = 0; k < nnz; k++) {
        const int64_t row = t->come[k].column - first;
        t->come[k].column = tulle__numbers_place(T->edge_row, T->edge_rows, row, &near);
        edge->offsets[t->come[k].column + 1]++;
    }
    for (int64_t i = 0; i < T->edge_rows; i++) edge->offsets[i + 1] += edge->offsets[i];
    for (int64_t k = 0; k < nnz; k++) {
        const entry *e = t->come + k;
        const int64_t at = edge->offsets[e->column]++;
        const bool known = T->halo.come_rows > 0 && T->edge_col[T->halo.come_rows - 1] == e->row;
        if (!known) T->edge_col[T->halo.come_rows++] = e->row;
        edge->columns[at] = T->halo.come_rows - 1;
        memcpy((char *)edge->values + (size_t)at * size, e->value, size);
    }
    for (int64_t i = T->edge_rows; i > 0; i--) edge->offsets[i] = edge->offsets[i - 1];
    edge->offsets[0] = 0;
    return TULLE_OK;
}

/* Makes the matrices of the transpose. */
static tulle_status fill(tulle_dist_mat *T, const void *given) {
    const pieces *p = given;
    tulle__rows edge = {.rows = 0};
    TULLE__TRY(tulle_mat_transpose(T->ctx, p->A->block, &T->block));
    tulle_status status = unpack(T, p, &edge);
    if (status == TULLE_OK && T->edge_rows > 0) {
        status = tulle__rows_to_mat(T->ctx, &edge, T->halo.come_rows, &T->edge);
        if (status == TULLE_OK) status = tulle__dist_place_edge(T);
    }
    tulle__rows_free(T->ctx, &edge);
    return status == TULLE_OK ? tulle__dist_assemble(T) : status;
}

static tulle_status send(tulle_ctx *ctx, const tulle_dist_mat *A, travel *t) {
    const int ranks = A->comm->functions.ranks, rank = A->comm->functions.rank;
    const size_t bytes = (size_t)ranks * sizeof *t->counts;
    int64_t *own = t->counts + (size_t)rank * (size_t)ranks;
    for (int r = 0; r < ranks; r++) own[r] = t->go_first[r + 1] - t->go_first[r];
    memcpy(t->come_first, own, bytes);
    TULLE__TRY(tulle__comm_gather(A->comm, t->come_first, bytes, t->counts));
    t->come_first[0] = 0;
    const tulle_status here = prepare(ctx, A->comm, t);
    const int count = here == TULLE_OK ? ranks : 0;
    return tulle__dist_exchange(ctx, A->comm, here,
                                &(tulle__dist_pieces){.sends = t->pieces,
                                                      .receives = t->pieces + ranks,
                                                      .send_count = count,
                                                      .receive_count = count});
}

tulle_status tulle__dist_transpose(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_dist_mat **T) {
    const int ranks = A->comm->functions.ranks;
    travel t = {.go = NULL};
    tulle_status status = take_tables(ctx, (size_t)ranks, &t);
    if (status == TULLE_OK) status = pack(ctx, A, &t);
    status = tulle__comm_agree(A->comm, NULL, status, NULL, 0);
    if (status == TULLE_OK) status = send(ctx, A, &t);
    if (status == TULLE_OK) {
        const pieces all = {A, &t};
        const int64_t nnz = A->block->pattern->nnz + t.come_first[ranks];
        const tulle__dist_sizes own = {A->cols, A->rows, nnz, A->rising};
        status = tulle__dist_make(ctx, A->comm, TULLE_OK,
                                  &(tulle__dist_making){NULL, &own, A->type, fill, &all}, T);
    }
    give_back(ctx, &t);
    return status;
}

static tulle_status check(const tulle_ctx *ctx, const tulle_dist_mat *A, tulle_dist_mat **T) {
    static const char *const function = "tulle_dist_mat_transpose";
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, T);
    return tulle__check_space_of(function, "A", ctx, A->block);
}

tulle_status tulle_dist_mat_transpose(tulle_ctx *ctx, tulle_dist_mat *A, tulle_dist_mat **T) {
    if (T) *T = NULL;
    TULLE__NEED(A);
    TULLE__TRY(tulle__comm_agree(A->comm, __func__, check(ctx, A, T), NULL, 0));
    return tulle__dist_transpose(ctx, A, T);
}
