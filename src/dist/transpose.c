/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a distributed matrix: each entry travels to the process that has its column. */
#include <string.h>

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

/* Sorts this process's entries by the rank that they go to, in the order of rows. */
static tulle_status pack(tulle_ctx *ctx, const tulle_dist_mat *A, travel *t) {
    const int ranks = A->comm->functions.ranks;
    const int64_t first = A->row_starts[A->comm->functions.rank];
    const size_t size = (size_t)tulle_type_size(A->type);
    tulle__rows own = {.rows = 0};
    tulle_status status = tulle__rows_of_dist(ctx, A, &own);
    t->go = tulle__host_alloc(ctx, (size_t)A->nnz * sizeof *t->go + 1);
    if (status == TULLE_OK && !t->go) status = TULLE_OUT_OF_MEMORY;
    int to = 0;
    for (int64_t k = 0; status == TULLE_OK && k < A->nnz; k++) {
        to = owner_of(A, own.columns[k], to);
        t->go_first[to + 1]++;
    }
    for (int r = 0; r < ranks; r++) t->go_first[r + 1] += t->go_first[r];
    for (int64_t i = 0; status == TULLE_OK && i < A->rows; i++) {
        for (int64_t k = own.offsets[i]; k < own.offsets[i + 1]; k++) {
            to = owner_of(A, own.columns[k], to);
            entry *e = t->go + t->go_first[to]++;
            e->row = first + i;
            e->column = own.columns[k];
            memcpy(e->value, (char *)own.values + (size_t)k * size, size);
        }
    }
    for (int r = ranks; r > 0; r--) t->go_first[r] = t->go_first[r - 1];
    t->go_first[0] = 0;
    tulle__rows_free(ctx, &own);
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

/* Makes rows of the entries that came, which stand in the order of the transpose's columns. */
static tulle_status unpack(tulle_ctx *ctx, const tulle_dist_mat *A, const travel *t,
                           tulle__rows *r) {
    const int ranks = A->comm->functions.ranks;
    const int64_t first = A->col_starts[A->comm->functions.rank], nnz = t->come_first[ranks];
    const size_t size = (size_t)tulle_type_size(A->type);
    TULLE__TRY(tulle__rows_make(ctx, A->type, A->cols, nnz, r));
    for (int64_t k = 0; k < nnz; k++) r->offsets[t->come[k].column - first + 1]++;
    for (int64_t i = 0; i < A->cols; i++) r->offsets[i + 1] += r->offsets[i];
    for (int64_t k = 0; k < nnz; k++) {
        const int64_t at = r->offsets[t->come[k].column - first]++;
        r->columns[at] = t->come[k].row;
        memcpy((char *)r->values + (size_t)at * size, t->come[k].value, size);
    }
    for (int64_t i = A->cols; i > 0; i--) r->offsets[i] = r->offsets[i - 1];
    r->offsets[0] = 0;
    return TULLE_OK;
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
    return tulle__dist_exchange(
        ctx, A->comm, here,
        &(tulle__dist_pieces){t->pieces, t->pieces + ranks, here == TULLE_OK ? ranks : 0,
                              here == TULLE_OK ? ranks : 0});
}

tulle_status tulle__dist_transpose(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_dist_mat **T) {
    travel t = {.go = NULL};
    tulle__rows rows = {.rows = 0};
    tulle_status status = take_tables(ctx, (size_t)A->comm->functions.ranks, &t);
    if (status == TULLE_OK) status = pack(ctx, A, &t);
    status = tulle__comm_agree(A->comm, NULL, status, NULL, 0);
    if (status == TULLE_OK) status = send(ctx, A, &t);
    if (status == TULLE_OK) {
        status = tulle__comm_agree(A->comm, NULL, unpack(ctx, A, &t, &rows), NULL, 0);
    }
    if (status == TULLE_OK) {
        status = tulle_dist_mat_create(ctx, A->comm, A->cols, A->rows, rows.offsets, rows.columns,
                                       A->type, rows.values, T);
    }
    tulle__rows_free(ctx, &rows);
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
