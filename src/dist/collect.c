/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers matrices and vectors in one process. */
#include <string.h>

#include "dist/dist.h"

/* Returns the bytes before those of a rank. */
static int64_t before(const int64_t *bytes, int rank) {
    int64_t sum = 0;
    for (int r = 0; r < rank; r++) sum += bytes[r];
    return sum;
}

/* Memory of the place for what is sent or received, with the pieces there. */
typedef struct transfer {
    void *data;
    tulle_comm_piece *pieces;
    int count;
} transfer;

static tulle_status prepare(tulle_ctx *ctx, const tulle_comm *comm, int root, const void *from,
                            const int64_t *bytes, transfer *t) {
    const int ranks = comm->functions.ranks, rank = comm->functions.rank;
    const int64_t all = rank == root ? before(bytes, ranks) : bytes[rank];
    t->pieces = tulle__host_alloc(ctx, (size_t)ranks * sizeof *t->pieces);
    if (!t->pieces) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__alloc(ctx, (size_t)all, &t->data));
    for (int r = 0; r < ranks; r++) {
        if (rank == root ? r == root : r != rank) continue;
        if (bytes[r] == 0) continue;
        char *at = (char *)t->data + (rank == root ? before(bytes, r) : 0);
        t->pieces[t->count++] = (tulle_comm_piece){
            .rank = rank == root ? r : root, .bytes = (size_t)bytes[r], .data = at};
    }
    char *own = (char *)t->data + (rank == root ? before(bytes, rank) : 0);
    return tulle__copy_wait(ctx, own, from, (size_t)bytes[rank]);
}

tulle_status tulle__dist_collect(tulle_ctx *ctx, tulle_comm *comm, int root, const void *from,
                                 const int64_t *bytes, void *to) {
    const int ranks = comm->functions.ranks, rank = comm->functions.rank;
    transfer t = {.count = 0};
    tulle_status status = prepare(ctx, comm, root, from, bytes, &t);
    status = tulle__comm_agree(comm, NULL, status, NULL, 0);
    const bool agreed = status == TULLE_OK;
    if (status == TULLE_OK) {
        const int sends = rank == root ? 0 : t.count;
        status = tulle__comm_exchange_start(comm, ctx, t.pieces, sends, t.pieces, t.count - sends);
    }
    if (status == TULLE_OK) status = tulle__comm_exchange_finish(comm, ctx);
    if (status == TULLE_OK && rank == root) {
        status = tulle__copy_wait(ctx, to, t.data, (size_t)before(bytes, ranks));
    }
    tulle__free(ctx, t.data);
    tulle__host_free(ctx, t.pieces);
    return agreed ? tulle__comm_spoil(comm, status) : status;
}

static tulle_status check_root(const char *function, const tulle_comm *comm, int root) {
    const int ranks = comm->functions.ranks;
    if (root >= 0 && root < ranks) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "root", -1,
                       "root is %d; it must be a rank below %d", root, ranks);
}

/* Collects one column in turn. room: bytes of each rank, [ranks], and then a column of this
 * process. A root without an array tells the others by its size, which it gives as -1 - size. */
static tulle_status collect_columns(tulle_ctx *ctx, tulle_comm *comm, const tulle_vec *X, int root,
                                    int64_t *room, char *host) {
    const int ranks = comm->functions.ranks;
    const int64_t size = X->rows * tulle_type_size(X->type);
    const int64_t own = !host && comm->functions.rank == root ? -1 - size : size;
    TULLE__TRY(tulle__comm_gather(comm, &own, sizeof own, room));
    const bool missing = room[root] < 0;
    if (missing) room[root] = -1 - room[root];
    if (before(room, ranks) == 0 || X->cols == 0) return TULLE_OK;
    if (missing) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_dist_gather", "host", -1,
                           "host is NULL in rank %d, the root", root);
    }
    for (int64_t j = 0; j < X->cols; j++) {
        const tulle_vec column = tulle__column_of(X, j);
        const tulle_status status = tulle_vec_read(ctx, &column, room + ranks, 0);
        if (status != TULLE_OK) return tulle__comm_agree(comm, NULL, status, NULL, 0);
        TULLE__TRY(tulle__dist_collect(ctx, comm, root, room + ranks, room, host));
        host += before(room, ranks);
    }
    return TULLE_OK;
}

/* Takes memory for collect_columns. */
static tulle_status take_room(tulle_ctx *ctx, const tulle_comm *comm, const tulle_vec *X, int root,
                              int64_t **room) {
    static const char *const function = "tulle_dist_gather";
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, X);
    TULLE__TRY(check_root(function, comm, root));
    *room = tulle__host_alloc(ctx, (size_t)comm->functions.ranks * sizeof(int64_t) +
                                       (size_t)(X->rows * tulle_type_size(X->type)));
    return *room ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle_dist_gather(tulle_ctx *ctx, tulle_comm *comm, const tulle_vec *X, int root,
                               void *host) {
    TULLE__NEED(comm);
    const tulle__agreement facts[] = {{"root", (uint64_t)root},
                                      {"X", X ? (uint64_t)X->cols : 0},
                                      {"X", X ? (uint64_t)X->type : 0}};
    int64_t *room = NULL;
    tulle_status status = take_room(ctx, comm, X, root, &room);
    status = tulle__comm_agree(comm, __func__, status, facts, 3);
    if (status == TULLE_OK) status = collect_columns(ctx, comm, X, root, room, host);
    tulle__host_free(ctx, room);
    return status;
}

/* Arrays of a CSR matrix in host memory, with 64-bit numbers. */
typedef struct arrays {
    int64_t *offsets, *columns; /* offsets: numbers of entries by row while they are counted */
    void *values;
} arrays;

static tulle_status make_arrays(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t nnz,
                                arrays *a) {
    size_t offsets, columns, values;
    TULLE__TRY(tulle__size(rows + 1, sizeof *a->offsets, 0, &offsets));
    TULLE__TRY(tulle__size(nnz, sizeof *a->columns, 1, &columns));
    TULLE__TRY(tulle__size(nnz, tulle_type_size(type), 1, &values));
    a->offsets = tulle__host_alloc(ctx, offsets);
    a->columns = tulle__host_alloc(ctx, columns);
    a->values = tulle__host_alloc(ctx, values);
    return a->offsets && a->columns && a->values ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static void free_arrays(tulle_ctx *ctx, arrays *a) {
    tulle__host_free(ctx, a->offsets);
    tulle__host_free(ctx, a->columns);
    tulle__host_free(ctx, a->values);
}

/* Reads a CSR matrix of any index type. */
static tulle_status read_wide(tulle_ctx *ctx, const tulle_mat *A, arrays *a) {
    tulle_mat *wide;
    TULLE__TRY(make_arrays(ctx, A->type, A->pattern->rows, A->pattern->nnz, a));
    TULLE__TRY(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &wide));
    const tulle_status status = tulle_mat_read(ctx, wide, a->offsets, NULL, a->columns, a->values);
    tulle_mat_destroy(wide);
    return status;
}

/* The two matrices of this process in host memory. */
typedef struct halves {
    arrays block, edge;
} halves;

static void put(tulle_type type, arrays *to, int64_t at, int64_t column, const arrays *from,
                int64_t k) {
    const size_t size = (size_t)tulle_type_size(type);
    to->columns[at] = column;
    memcpy((char *)to->values + (size_t)at * size, (char *)from->values + (size_t)k * size, size);
}

/* Joins the rows of both: entries in lower columns, own ones, and those in higher columns. */
static void join(const tulle_dist_mat *A, const halves *h, arrays *all) {
    const int64_t first = A->col_starts[A->comm->functions.rank];
    int64_t at = 0, e = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        const bool edged = e < A->edge_rows && A->edge_row[e] == i;
        int64_t k = edged ? h->edge.offsets[e] : 0;
        const int64_t end = edged ? h->edge.offsets[e + 1] : 0, begun = at;
        for (; k < end && A->edge_col[h->edge.columns[k]] < first; k++) {
            put(A->type, all, at++, A->edge_col[h->edge.columns[k]], &h->edge, k);
        }
        for (int64_t j = h->block.offsets[i]; j < h->block.offsets[i + 1]; j++) {
            put(A->type, all, at++, first + h->block.columns[j], &h->block, j);
        }
        for (; k < end; k++) {
            put(A->type, all, at++, A->edge_col[h->edge.columns[k]], &h->edge, k);
        }
        all->offsets[i] = at - begun;
        e += edged;
    }
}

/* Reads this process's rows, with columns of the whole matrix. */
static tulle_status read_rows(tulle_ctx *ctx, const tulle_dist_mat *A, arrays *all) {
    halves h = {{NULL, NULL, NULL}, {NULL, NULL, NULL}};
    TULLE__TRY(make_arrays(ctx, A->type, A->rows, A->nnz, all));
    tulle_status status = read_wide(ctx, A->block, &h.block);
    if (status == TULLE_OK && A->edge) status = read_wide(ctx, A->edge, &h.edge);
    if (status == TULLE_OK) join(A, &h, all);
    free_arrays(ctx, &h.block);
    free_arrays(ctx, &h.edge);
    return status;
}

/* Collects the arrays of all processes. bytes: room for a number for each rank; entries: the number
 * of entries of each rank. */
static tulle_status collect_arrays(tulle_ctx *ctx, const tulle_dist_mat *A, int root,
                                   const arrays *own, const int64_t *entries, int64_t *bytes,
                                   arrays *all) {
    const int ranks = A->comm->functions.ranks;
    const int64_t word = sizeof(int64_t), size = tulle_type_size(A->type);
    for (int r = 0; r < ranks; r++) bytes[r] = (A->row_starts[r + 1] - A->row_starts[r]) * word;
    TULLE__TRY(tulle__dist_collect(ctx, A->comm, root, own->offsets, bytes, all->offsets));
    for (int r = 0; r < ranks; r++) bytes[r] = entries[r] * word;
    TULLE__TRY(tulle__dist_collect(ctx, A->comm, root, own->columns, bytes, all->columns));
    for (int r = 0; r < ranks; r++) bytes[r] = entries[r] * size;
    return tulle__dist_collect(ctx, A->comm, root, own->values, bytes, all->values);
}

/* Makes the whole matrix of the collected arrays, whose numbers of entries by row become offsets.
 */
static tulle_status make_whole(tulle_ctx *ctx, const tulle_dist_mat *A, arrays *all,
                               tulle_mat **whole) {
    const int ranks = A->comm->functions.ranks;
    const int64_t rows = A->row_starts[ranks], cols = A->col_starts[ranks];
    int64_t sum = 0;
    for (int64_t i = 0; i <= rows; i++) {
        const int64_t entries = i < rows ? all->offsets[i] : 0;
        all->offsets[i] = sum;
        sum += entries;
    }
    tulle_mat *wide;
    TULLE__TRY(tulle_mat_create_csr(ctx, rows, cols, A->all_nnz, TULLE_I64, all->offsets,
                                    all->columns, A->type, all->values, NULL, &wide));
    const bool narrow = rows < INT32_MAX && cols < INT32_MAX && A->all_nnz < INT32_MAX;
    if (!narrow) {
        *whole = wide;
        return TULLE_OK;
    }
    const tulle_status status = tulle_mat_convert(ctx, wide, TULLE_CSR, TULLE_I32, 0, whole);
    tulle_mat_destroy(wide);
    return status;
}

static tulle_status gather(tulle_ctx *ctx, const tulle_dist_mat *A, int root, arrays *own,
                           arrays *all, int64_t *room, tulle_mat **whole) {
    const int ranks = A->comm->functions.ranks, rank = A->comm->functions.rank;
    tulle_status status = read_rows(ctx, A, own);
    if (status == TULLE_OK && rank == root) {
        status = make_arrays(ctx, A->type, A->row_starts[ranks], A->all_nnz, all);
    }
    TULLE__TRY(tulle__comm_agree(A->comm, "tulle_dist_mat_gather", status, NULL, 0));
    TULLE__TRY(tulle__comm_gather(A->comm, &A->nnz, sizeof A->nnz, room));
    TULLE__TRY(collect_arrays(ctx, A, root, own, room, room + ranks, all));
    if (rank == root) status = make_whole(ctx, A, all, whole);
    return tulle__comm_agree(A->comm, "tulle_dist_mat_gather", status, NULL, 0);
}

static tulle_status check_gather(const tulle_ctx *ctx, const tulle_dist_mat *A, int root,
                                 tulle_mat **whole) {
    static const char *const function = "tulle_dist_mat_gather";
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, whole);
    return check_root(function, A->comm, root);
}

tulle_status tulle_dist_mat_gather(tulle_ctx *ctx, tulle_dist_mat *A, int root, tulle_mat **whole) {
    if (whole) *whole = NULL;
    TULLE__NEED(A);
    const tulle__agreement facts[] = {{"root", (uint64_t)root}};
    arrays own = {NULL, NULL, NULL}, all = {NULL, NULL, NULL};
    int64_t *room = NULL;
    tulle_status status = check_gather(ctx, A, root, whole);
    if (status == TULLE_OK) {
        room = tulle__host_alloc(ctx, 2 * (size_t)A->comm->functions.ranks * sizeof *room);
        status = room ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    }
    status = tulle__comm_agree(A->comm, __func__, status, facts, 1);
    if (status == TULLE_OK) status = gather(ctx, A, root, &own, &all, room, whole);
    if (whole && status != TULLE_OK) {
        tulle_mat_destroy(*whole);
        *whole = NULL;
    }
    free_arrays(ctx, &own);
    free_arrays(ctx, &all);
    tulle__host_free(ctx, room);
    return status;
}
