/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions: rows that move to other processes, so that products need few rows of x of others. */
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "dist/order.h"
#include "dist/rows.h"
#include "matrix/build.h"
#include "order/partition.h"

static const char *const function = "tulle_dist_mat_partition";

/* A partition as every process knows it. */
typedef struct parts {
    int32_t *of;     /* the process that each row of the whole matrix goes to, [n] */
    int64_t *place;  /* new number of each row, [n] */
    int64_t *starts; /* first new number of each process, and their end, [ranks + 1] */
    int64_t *mine;   /* old numbers of the rows that this process gets, ascending */
    int64_t count;   /* number of these */
} parts;

static tulle_status take(tulle_ctx *ctx, int64_t n, int ranks, parts *p) {
    size_t of_rank, of_row;
    TULLE__TRY(tulle__size(n, sizeof *p->of, 1, &of_rank));
    TULLE__TRY(tulle__size(n, sizeof *p->place, 1, &of_row));
    p->of = tulle__host_alloc(ctx, of_rank);
    p->place = tulle__host_alloc(ctx, of_row);
    p->starts = tulle__host_alloc(ctx, ((size_t)ranks + 1) * sizeof *p->starts);
    return p->of && p->place && p->starts ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static void give_back(tulle_ctx *ctx, parts *p) {
    tulle__host_free(ctx, p->of);
    tulle__host_free(ctx, p->place);
    tulle__host_free(ctx, p->starts);
    tulle__host_free(ctx, p->mine);
}

/* Parts the rows of the whole matrix, in the one process that has it. */
static tulle_status part(tulle_ctx *ctx, const tulle_mat *whole, int ranks, int32_t *of) {
    tulle__graph graph;
    TULLE__TRY(tulle__graph_of(function, ctx, whole, false, &graph));
    const tulle_status status = tulle__partition(function, ctx, &graph, ranks, of);
    tulle__graph_free(ctx, &graph);
    return status;
}

/* Parts the rows in the process of rank 0, and tells all of them. */
static tulle_status find(tulle_ctx *ctx, const tulle_dist_mat *A, parts *p) {
    const int ranks = A->comm->functions.ranks;
    const bool is_0 = A->comm->functions.rank == 0;
    const int64_t n = A->row_starts[ranks];
    tulle_mat *whole = NULL;
    int32_t *found = NULL;
    int64_t *bytes = tulle__host_alloc(ctx, (size_t)ranks * sizeof *bytes);
    tulle_status here = bytes ? take(ctx, n, ranks, p) : TULLE_OUT_OF_MEMORY;
    if (here == TULLE_OK && is_0) {
        found = tulle__host_alloc(ctx, (size_t)n * sizeof *found + 1);
        here = found ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    }
    tulle_status status = tulle__dist_mat_collect(ctx, A, here, 0, &whole);
    if (status == TULLE_OK) {
        bytes[0] = n * (int64_t)sizeof *found;
        here = is_0 ? part(ctx, whole, ranks, found) : TULLE_OK;
        status = tulle__dist_collect(ctx, A->comm, here, -1, found, bytes, p->of);
    }
    tulle_mat_destroy(whole);
    tulle__host_free(ctx, found);
    tulle__host_free(ctx, bytes);
    return status;
}

/* Lists the rows that this process gets. */
static tulle_status list(tulle_ctx *ctx, const tulle_comm *comm, int64_t n, parts *p) {
    const int ranks = comm->functions.ranks, rank = comm->functions.rank;
    tulle__partition_order(n, p->of, ranks, p->starts, p->place);
    p->count = p->starts[rank + 1] - p->starts[rank];
    p->mine = tulle__host_alloc(ctx, (size_t)p->count * sizeof *p->mine + 1);
    if (!p->mine) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        if (p->of[i] == rank) p->mine[p->place[i] - p->starts[rank]] = i;
    }
    return TULLE_OK;
}

/* An entry of a row: its column, and its place in the row as it came. */
typedef struct entry {
    int64_t column, at;
} entry;

static int by_column(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int64_t longest(const tulle__rows *r) {
    int64_t most = 0;
    for (int64_t i = 0; i < r->rows; i++) {
        const int64_t length = r->offsets[i + 1] - r->offsets[i];
        if (length > most) most = length;
    }
    return most;
}

/* Numbers columns anew, and sorts each row by them; repeated entries keep their order. */
static tulle_status number(tulle_ctx *ctx, const int64_t *place, tulle__rows *r) {
    const int64_t most = longest(r);
    const size_t size = (size_t)tulle_type_size(r->type);
    entry *row = tulle__host_alloc(ctx, (size_t)most * sizeof *row + 1);
    char *values = tulle__host_alloc(ctx, (size_t)most * size + 1);
    for (int64_t i = 0; i < r->rows && row && values; i++) {
        const int64_t first = r->offsets[i], length = r->offsets[i + 1] - first;
        char *to = (char *)r->values + (size_t)first * size;
        for (int64_t k = 0; k < length; k++) row[k] = (entry){place[r->columns[first + k]], k};
        qsort(row, (size_t)length, sizeof *row, by_column);
        memcpy(values, to, (size_t)length * size);
        for (int64_t k = 0; k < length; k++) {
            r->columns[first + k] = row[k].column;
            memcpy(to + (size_t)k * size, values + (size_t)row[k].at * size, size);
        }
    }
    const tulle_status status = row && values ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    tulle__host_free(ctx, row);
    tulle__host_free(ctx, values);
    return status;
}

/* Reads rows that came into host memory. Waits. */
static tulle_status read(tulle_ctx *ctx, const tulle__guests *came, tulle__rows *r) {
    const size_t rows = ((size_t)came->rows + 1) * sizeof *r->offsets;
    const size_t columns = (size_t)came->nnz * sizeof *r->columns;
    const size_t values = (size_t)(came->nnz * tulle_type_size(came->type));
    TULLE__TRY(tulle__rows_make(ctx, came->type, came->rows, came->nnz, r));
    memcpy(r->offsets, came->offsets, rows);
    if (came->nnz == 0) return TULLE_OK;
    TULLE__TRY(tulle__copy_wait(ctx, r->columns, came->columns, columns));
    return tulle__copy_wait(ctx, r->values, came->values, values);
}

/* Makes the matrix of the rows that came to this process. */
static tulle_status settle(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__guests *came,
                           const parts *p, tulle_dist_mat **B) {
    tulle__rows r = {.rows = 0};
    tulle_status here = read(ctx, came, &r);
    if (here == TULLE_OK) here = number(ctx, p->place, &r);
    tulle_status status = tulle__comm_agree(A->comm, function, here, NULL, 0);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_create(ctx, A->comm, p->count, p->count, r.offsets, r.columns,
                                       A->type, r.values, B);
    }
    tulle__rows_free(ctx, &r);
    return status;
}

/* Moves the rows to their new processes. */
static tulle_status move(tulle_ctx *ctx, const tulle_dist_mat *A, parts *p, tulle_dist_order *P,
                         tulle_dist_mat **B) {
    const int64_t n = A->row_starts[A->comm->functions.ranks];
    tulle__guests came = {.rows = 0};
    tulle_status here = list(ctx, A->comm, n, p);
    const tulle__halo_needs needs = {A->row_starts, p->mine, p->count};
    tulle_status status = tulle__halo_make(ctx, A->comm, here, &needs, &P->halo);
    if (status == TULLE_OK) {
        here = tulle__halo_place(ctx, &P->halo);
        status = tulle__rows_fetch(ctx, A, here, &P->halo, &came);
    }
    if (status == TULLE_OK) status = settle(ctx, A, &came, p, B);
    tulle__guests_free(ctx, &came);
    return status;
}

static tulle_status make(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_dist_order *P,
                         tulle_dist_mat **B) {
    parts p = {.of = NULL};
    tulle_status status = find(ctx, A, &p);
    if (status == TULLE_OK) status = move(ctx, A, &p, P, B);
    give_back(ctx, &p);
    return status;
}

static tulle_status check(const tulle_ctx *ctx, const tulle_dist_mat *A, tulle_dist_mat **B,
                          tulle_dist_order **P) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, B);
    TULLE__NEED_OF(function, P);
    TULLE__TRY(tulle__check_space_of(function, "A", ctx, A->block));
    for (int r = 0; r <= A->comm->functions.ranks; r++) {
        if (A->row_starts[r] == A->col_starts[r]) continue;
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1,
                           "A is not square, or its columns are not shared as its rows are");
    }
    return TULLE_OK;
}

tulle_status tulle_dist_mat_partition(tulle_ctx *ctx, tulle_dist_mat *A, tulle_dist_mat **B,
                                      tulle_dist_order **P) {
    tulle_dist_order *made = NULL;
    if (B) *B = NULL;
    if (P) *P = NULL;
    TULLE__NEED(A);
    tulle_status status = check(ctx, A, B, P);
    if (status == TULLE_OK) status = tulle__dist_order_make(A, &made);
    status = tulle__comm_agree(A->comm, function, status, NULL, 0);
    if (status == TULLE_OK) status = make(ctx, A, made, B);
    if (status == TULLE_OK) {
        *P = made;
        return TULLE_OK;
    }
    tulle_dist_order_destroy(made);
    return status;
}
