/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers matrices and vectors in one process. */
#include "dist/rows.h"

/* Returns the bytes before those of a rank. */
static int64_t before(const int64_t *bytes, int rank) {
    int64_t sum = 0;
    for (int r = 0; r < rank; r++) sum += bytes[r];
    return sum;
}

/* Writes the pieces that go to the root and come there; root -1: to all and from all. */
static void put_pieces(const tulle_comm *comm, int root, const void *from, const int64_t *bytes,
                       void *to, tulle_comm_piece *pieces, tulle__dist_pieces *p) {
    const int ranks = comm->functions.ranks, rank = comm->functions.rank;
    const bool all = root < 0, receives = all || rank == root;
    for (int r = 0; r < ranks; r++) {
        if (!all && r != root) continue;
        pieces[p->send_count++] = (tulle_comm_piece){
            .rank = r, .bytes = (size_t)bytes[rank], .data = (void *)(uintptr_t)from};
    }
    tulle_comm_piece *come = pieces + p->send_count;
    for (int r = 0; r < ranks && receives; r++) {
        come[p->receive_count++] = (tulle_comm_piece){
            .rank = r, .bytes = (size_t)bytes[r], .data = (char *)to + before(bytes, r)};
    }
    p->sends = pieces;
    p->receives = come;
}

tulle_status tulle__dist_collect(tulle_ctx *ctx, tulle_comm *comm, tulle_status here, int root,
                                 const void *from, const int64_t *bytes, void *to) {
    tulle__dist_pieces p = {.send_count = 0};
    tulle_comm_piece *pieces = NULL;
    if (here == TULLE_OK) {
        pieces = tulle__host_alloc(ctx, 2 * (size_t)comm->functions.ranks * sizeof *pieces);
        here = pieces ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    }
    if (here == TULLE_OK) put_pieces(comm, root, from, bytes, to, pieces, &p);
    const tulle_status status = tulle__dist_exchange(ctx, comm, here, &p);
    tulle__host_free(ctx, pieces);
    return status;
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
        TULLE__TRY(tulle__dist_collect(ctx, comm, status, root, room + ranks, room, host));
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

/* Numbers that collect_rows needs for each rank: of entries, and of bytes. */
typedef struct room {
    int64_t *entries, *bytes;
} room;

static void count_bytes(const tulle_dist_mat *A, const int64_t *entries, int64_t size,
                        int64_t *bytes) {
    for (int r = 0; r < A->comm->functions.ranks; r++) {
        bytes[r] = size * (entries ? entries[r] : A->row_starts[r + 1] - A->row_starts[r]);
    }
}

/* Collects the rows of all processes. Each sends the ends of its rows, which are counted on. */
static tulle_status collect_rows(tulle_ctx *ctx, const tulle_dist_mat *A, int root,
                                 const tulle__rows *own, bool values, const room *n,
                                 tulle__rows *all) {
    const int64_t word = sizeof(int64_t), size = tulle_type_size(A->type);
    const bool receives = root < 0 || A->comm->functions.rank == root;
    TULLE__TRY(tulle__comm_gather(A->comm, &A->nnz, sizeof A->nnz, n->entries));
    count_bytes(A, NULL, word, n->bytes);
    TULLE__TRY(tulle__dist_collect(ctx, A->comm, TULLE_OK, root, own->offsets + 1, n->bytes,
                                   receives ? all->offsets + 1 : NULL));
    count_bytes(A, n->entries, word, n->bytes);
    TULLE__TRY(
        tulle__dist_collect(ctx, A->comm, TULLE_OK, root, own->columns, n->bytes, all->columns));
    count_bytes(A, n->entries, size, n->bytes);
    if (values) {
        TULLE__TRY(
            tulle__dist_collect(ctx, A->comm, TULLE_OK, root, own->values, n->bytes, all->values));
    }
    int64_t before_rank = 0;
    for (int r = 0; r < A->comm->functions.ranks && receives; r++) {
        for (int64_t i = A->row_starts[r]; i < A->row_starts[r + 1]; i++) {
            all->offsets[i + 1] += before_rank;
        }
        before_rank += n->entries[r];
    }
    return TULLE_OK;
}

tulle_status tulle__rows_collect(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                                 int root, const tulle__rows *own, bool values, tulle__rows *all) {
    const int ranks = A->comm->functions.ranks;
    const bool receives = root < 0 || A->comm->functions.rank == root;
    int64_t *numbers = NULL;
    if (here == TULLE_OK) {
        numbers = tulle__host_alloc(ctx, 2 * (size_t)ranks * sizeof *numbers);
        here = numbers ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    }
    if (here == TULLE_OK && receives) {
        here = tulle__rows_make(ctx, A->type, A->row_starts[ranks], A->all_nnz, all);
    }
    tulle_status status = tulle__comm_agree(A->comm, NULL, here, NULL, 0);
    if (status == TULLE_OK) {
        const room n = {numbers, numbers + ranks};
        status = collect_rows(ctx, A, root, own, values, &n, all);
    }
    tulle__host_free(ctx, numbers);
    return status;
}

tulle_status tulle__dist_mat_collect(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                                     int root, tulle_mat **whole) {
    const int ranks = A->comm->functions.ranks;
    const bool receives = root < 0 || A->comm->functions.rank == root;
    tulle__rows own = {.rows = 0}, all = {.rows = 0};
    if (receives) *whole = NULL;
    if (here == TULLE_OK) here = tulle__rows_of_dist(ctx, A, &own);
    tulle_status status = tulle__rows_collect(ctx, A, here, root, &own, true, &all);
    tulle__rows_free(ctx, &own);
    if (status == TULLE_OK) {
        if (receives) status = tulle__rows_to_mat(ctx, &all, A->col_starts[ranks], whole);
        status = tulle__comm_agree(A->comm, NULL, status, NULL, 0);
    }
    if (receives && status != TULLE_OK) {
        tulle_mat_destroy(*whole);
        *whole = NULL;
    }
    tulle__rows_free(ctx, &all);
    return status;
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
    tulle_status status =
        tulle__comm_agree(A->comm, __func__, check_gather(ctx, A, root, whole), facts, 1);
    if (status == TULLE_OK) status = tulle__dist_mat_collect(ctx, A, TULLE_OK, root, whole);
    return status;
}
