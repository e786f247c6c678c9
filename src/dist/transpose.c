/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a distributed matrix: both matrices are transposed where they are, and rows of
 * the edge's transpose travel to their owners, along A's halo the other way. */
#include <string.h>

#include "dist/functions.h"
#include "dist/numbers.h"
#include "dist/rows.h"
#include "matrix/build.h"

/* Rows of the edge's transpose, on their way. */
typedef struct travel {
    const tulle_dist_mat *A;
    tulle_mat *turned; /* the transpose of A's edge, with 64-bit numbers; owns the values of went */
    void *names;       /* numbers of the edge's rows in the whole matrix, in the place's memory */
    tulle__guests went; /* row k is a part of column edge_col[k] of A */
    tulle__guests came; /* row k is a part of row halo.go_row[k] of the transpose */
} travel;

static void give_back(tulle_ctx *ctx, travel *t) {
    t->went.values = NULL;
    tulle__guests_free(ctx, &t->went);
    tulle__guests_free(ctx, &t->came);
    tulle_mat_destroy(t->turned);
    tulle__free(ctx, t->names);
}

static tulle_status turn_edge(tulle_ctx *ctx, travel *t) {
    tulle_mat *narrow;
    TULLE__TRY(tulle_mat_transpose(ctx, t->A->edge, &narrow));
    const tulle_status status = tulle_mat_convert(ctx, narrow, TULLE_CSR, TULLE_I64, 0, &t->turned);
    tulle_mat_destroy(narrow);
    return status;
}

/* Puts the numbers that the edge's rows have in the whole matrix into the place's memory. */
static tulle_status name_rows(tulle_ctx *ctx, travel *t) {
    const tulle_dist_mat *A = t->A;
    const int64_t first = A->row_starts[A->comm->functions.rank];
    const size_t bytes = (size_t)A->edge_rows * sizeof *A->edge_row;
    int64_t *names = tulle__host_alloc(ctx, bytes);
    tulle_status status = names ? tulle__alloc(ctx, bytes, &t->names) : TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < A->edge_rows && names; k++) names[k] = first + A->edge_row[k];
    if (status == TULLE_OK) status = tulle__copy_wait(ctx, t->names, names, bytes);
    tulle__host_free(ctx, names);
    return status;
}

static tulle_status pack(tulle_ctx *ctx, travel *t) {
    const int64_t rows = t->A->halo.come_rows;
    const size_t offsets = ((size_t)rows + 1) * sizeof *t->went.offsets;
    t->went = (tulle__guests){.rows = rows, .type = t->A->type};
    t->went.offsets = tulle__host_alloc(ctx, offsets);
    if (!t->went.offsets) return TULLE_OUT_OF_MEMORY;
    if (!t->A->edge) return TULLE_OK;
    TULLE__TRY(turn_edge(ctx, t));
    TULLE__TRY(name_rows(ctx, t));
    const tulle__pattern *pattern = t->turned->pattern;
    const size_t columns = (size_t)pattern->nnz * sizeof *t->went.columns;
    t->went.nnz = pattern->nnz;
    t->went.values = t->turned->values.data;
    TULLE__TRY(tulle__alloc(ctx, columns, (void **)&t->went.columns));
    TULLE__TRY(ctx->backend->dist->dist_pick(&ctx->place, pattern->nnz, pattern->cols_of.data,
                                             sizeof(int64_t), t->names, t->went.columns));
    return tulle__copy_wait(ctx, t->went.offsets, pattern->offsets.data, offsets);
}

/* Returns A's halo the other way, as long as there is A. */
static tulle__halo turned_halo(const tulle_dist_mat *A) {
    const tulle__halo *h = &A->halo;
    return (tulle__halo){.come_rows = h->go_rows,
                         .go_rows = h->come_rows,
                         .come_count = h->go_count,
                         .go_count = h->come_count,
                         .come = h->go,
                         .go = h->come,
                         .pieces = h->pieces};
}

/* Lists the rows of T's edge: own columns of A that other processes have entries in. */
static tulle_status list_rows(tulle_dist_mat *T, const tulle_dist_mat *A) {
    const size_t bytes = (size_t)A->halo.go_rows * sizeof *T->edge_row;
    T->edge_row = tulle__host_alloc(T->ctx, bytes);
    if (!T->edge_row) return TULLE_OUT_OF_MEMORY;
    memcpy(T->edge_row, A->halo.go_row, bytes);
    T->edge_rows = A->halo.go_rows;
    return tulle__numbers_sort(T->ctx, T->edge_row, &T->edge_rows);
}

/* Lists the rows that came by the rows of T's edge that they are parts of: those of row i are
 * order[first[i]] to order[first[i + 1] - 1], those of one process after those of another. */
static void order_parts(const tulle_dist_mat *T, const tulle_dist_mat *A, int64_t *order,
                        int64_t *first) {
    const int64_t *row = A->halo.go_row;
    int64_t near = 0;
    for (int64_t k = 0; k < A->halo.go_rows; k++) {
        first[tulle__numbers_place(T->edge_row, T->edge_rows, row[k], &near) + 1]++;
    }
    for (int64_t i = 0; i < T->edge_rows; i++) first[i + 1] += first[i];
    for (int64_t k = 0; k < A->halo.go_rows; k++) {
        order[first[tulle__numbers_place(T->edge_row, T->edge_rows, row[k], &near)]++] = k;
    }
    for (int64_t i = T->edge_rows; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
}

/* Joins rows that came in some order. room: [2 * rows + 1] in the place's memory. */
static tulle_status join_parts(tulle_ctx *ctx, const tulle__guests *came, const int64_t *order,
                               int64_t *room, tulle__guests *joined) {
    const size_t rows = (size_t)came->rows;
    tulle__join_job job = {.block = {.rows = came->rows,
                                     .nnz = came->nnz,
                                     .index = TULLE_I64,
                                     .offsets = room + rows,
                                     .cols_of = came->columns},
                           .block_values = came->values,
                           .type = came->type,
                           .rows = room,
                           .count = came->rows};
    TULLE__TRY(tulle__copy_wait(ctx, room, order, rows * sizeof *room));
    TULLE__TRY(tulle__copy_wait(ctx, room + rows, came->offsets, (rows + 1) * sizeof *room));
    return tulle__guests_join(ctx, &job, joined);
}

/* Makes rows of T's edge of the parts that came. */
static tulle_status gather_parts(tulle_dist_mat *T, const travel *t, tulle__guests *edge) {
    tulle_ctx *ctx = T->ctx;
    const size_t parts = (size_t)t->came.rows, rows = (size_t)T->edge_rows;
    void *room = NULL;
    int64_t *order = tulle__host_alloc(ctx, (parts + rows + 1) * sizeof *order);
    int64_t *const first = order ? order + parts : NULL;
    tulle_status status = order ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) status = tulle__alloc(ctx, (2 * parts + 1) * sizeof *order, &room);
    if (status == TULLE_OK) {
        order_parts(T, t->A, order, first);
        status = join_parts(ctx, &t->came, order, room, edge);
    }
    edge->rows = T->edge_rows;
    for (size_t i = 0; i <= rows && status == TULLE_OK; i++) {
        edge->offsets[i] = edge->offsets[first[i]];
    }
    tulle__free(ctx, room);
    tulle__host_free(ctx, order);
    return status;
}

static tulle_status make_edge(tulle_dist_mat *T, const travel *t) {
    const int64_t all = T->col_starts[T->comm->functions.ranks];
    tulle__guests edge = {.rows = 0};
    TULLE__TRY(list_rows(T, t->A));
    tulle_status status = gather_parts(T, t, &edge);
    if (status == TULLE_OK) {
        status = tulle__columns_list(T->ctx, &edge, 0, 0, all, &T->edge_col, &T->halo.come_rows);
    }
    if (status == TULLE_OK) {
        const tulle__columns cols = {.others = T->edge_col, .count = T->halo.come_rows};
        status = tulle__local_guests(T->ctx, &edge, &cols, T->rising, &T->edge);
    }
    tulle__guests_free(T->ctx, &edge);
    return status == TULLE_OK ? tulle__dist_place_edge(T) : status;
}

/* Makes the matrices of the transpose. */
static tulle_status fill(tulle_dist_mat *T, const void *given) {
    const travel *t = given;
    TULLE__TRY(tulle_mat_transpose(T->ctx, t->A->block, &T->block));
    if (t->came.rows > 0) TULLE__TRY(make_edge(T, t));
    return tulle__dist_assemble(T);
}

tulle_status tulle__dist_transpose(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_dist_mat **T) {
    const tulle__halo halo = turned_halo(A);
    travel t = {.A = A};
    const tulle_status here = pack(ctx, &t);
    tulle_status status = tulle__rows_send(ctx, A->comm, here, &halo, &t.went, &t.came);
    if (status == TULLE_OK) {
        const int64_t nnz = A->block->pattern->nnz + t.came.nnz;
        const tulle__dist_sizes own = {A->cols, A->rows, nnz, A->rising};
        status = tulle__dist_make(ctx, A->comm, TULLE_OK,
                                  &(tulle__dist_making){NULL, &own, A->type, fill, &t}, T);
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
