/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers matrices and vectors in one process. */
#include "core/access.h"
#include "dist/functions.h"
#include "dist/rows.h"
#include "matrix/build.h"

/* Returns the bytes before those of a rank. */
static int64_t before(const int64_t *bytes, int rank) {
    int64_t sum = 0;
    for (int r = 0; r < rank; r++) sum += bytes[r];
    return sum;
}

/* Writes the pieces that go to the root and come there. */
static void put_pieces(const tulle_comm *comm, int root, const void *from, const int64_t *bytes,
                       void *to, tulle_comm_piece *pieces, tulle__dist_pieces *p) {
    const int ranks = comm->functions.ranks, rank = comm->functions.rank;
    pieces[p->send_count++] = (tulle_comm_piece){
        .rank = root, .bytes = (size_t)bytes[rank], .data = (void *)(uintptr_t)from};
    tulle_comm_piece *come = pieces + p->send_count;
    for (int r = 0; r < ranks && rank == root; r++) {
        come[p->receive_count++] = (tulle_comm_piece){
            .rank = r, .bytes = (size_t)bytes[r], .data = (char *)to + before(bytes, r)};
    }
    p->sends = pieces;
    p->receives = come;
}

/* Collects blocks of host memory of different sizes in one process: bytes[r] of rank r, which are
 * known to all, one after the other in `to`. here: status of this process so far. */
static tulle_status collect(tulle_ctx *ctx, tulle_comm *comm, tulle_status here, int root,
                            const void *from, const int64_t *bytes, void *to) {
    tulle__dist_pieces p = {.send_count = 0};
    tulle_comm_piece *pieces = NULL;
    if (here == TULLE_OK) {
        pieces = tulle__host_alloc(ctx, ((size_t)comm->functions.ranks + 1) * sizeof *pieces);
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
        TULLE__TRY(collect(ctx, comm, status, root, room + ranks, room, host));
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

/* The whole matrix in the making, in the place's memory; in a process that does not receive it,
 * room for its own rows. */
typedef struct gathering {
    const tulle_dist_mat *A;
    bool receives;
    int root;
    int64_t *entries;         /* [ranks] number of entries of each rank */
    tulle_comm_piece *pieces; /* [2 * ranks] */
    tulle__draft draft;
    int64_t first, before; /* numbers of rows and entries before the own ones in the arrays */
    int64_t elsewhere;     /* number of entries of lower ranks that the arrays do not have */
} gathering;

static tulle_status take_tables(tulle_ctx *ctx, gathering *w) {
    const size_t ranks = (size_t)w->A->comm->functions.ranks;
    w->entries = tulle__host_alloc(ctx, ranks * sizeof *w->entries);
    w->pieces = tulle__host_alloc(ctx, 2 * ranks * sizeof *w->pieces);
    return w->entries && w->pieces ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static tulle_status take_arrays(tulle_ctx *ctx, gathering *w) {
    const tulle_dist_mat *A = w->A;
    const int ranks = A->comm->functions.ranks, rank = A->comm->functions.rank;
    const int64_t all_rows = A->row_starts[ranks], cols = A->col_starts[ranks];
    for (int r = 0; r < rank; r++) *(w->receives ? &w->before : &w->elsewhere) += w->entries[r];
    w->first = w->receives ? A->row_starts[rank] : 0;
    w->draft = (tulle__draft){.ctx = ctx,
                              .rows = w->receives ? all_rows : A->rows,
                              .cols = cols,
                              .nnz = w->receives ? A->all_nnz : A->nnz,
                              .format = TULLE_CSR,
                              .index = tulle__local_index(all_rows, cols, A->all_nnz),
                              .type = A->type};
    return tulle__draft_alloc(&w->draft);
}

/* Joins own rows at their place. */
static tulle_status join_own(tulle_ctx *ctx, gathering *w) {
    const tulle_dist_mat *A = w->A;
    const int64_t wide = tulle_offset_size(w->draft.index);
    const int64_t rank = A->comm->functions.rank;
    int64_t end = A->all_nnz;
    tulle__join_job job;
    void *scratch = NULL;
    tulle_status status = tulle__join_begin(ctx, A, A->edge_col, &job, &scratch);
    job.shift = A->col_starts[rank];
    job.before = w->before;
    job.elsewhere = w->elsewhere;
    job.offset_size = wide;
    job.index_size = tulle_index_size(w->draft.index);
    job.offsets = (char *)w->draft.arrays.offsets + w->first * wide;
    job.cols_of = w->draft.arrays.cols_of;
    job.values = w->draft.values;
    if (status == TULLE_OK) status = ctx->backend->dist->dist_join(&ctx->place, &job);
    tulle__free(ctx, scratch);
    TULLE__TRY(status);
    if (!w->receives) return TULLE_OK;
    tulle__put(&end, wide, 0, end);
    char *const last = (char *)w->draft.arrays.offsets + w->draft.rows * wide;
    return tulle__copy_wait(ctx, last, &end, (size_t)wide);
}

/* Collects one array, whose part of a rank has so many items: those of its rows, or entries. */
static tulle_status collect_array(tulle_ctx *ctx, gathering *w, tulle_status here, char *array,
                                  int64_t item, bool of_rows) {
    const tulle_dist_mat *A = w->A;
    const int ranks = A->comm->functions.ranks, rank = A->comm->functions.rank;
    tulle_comm_piece *come = w->pieces, *go = w->pieces + ranks;
    tulle__dist_pieces p = {.in_place = true, .sends = go, .receives = come};
    int64_t before = 0;
    const int64_t own = of_rows ? w->first : w->before;
    for (int r = 0; r < ranks && here == TULLE_OK; r++) {
        const int64_t count = of_rows ? A->row_starts[r + 1] - A->row_starts[r] : w->entries[r];
        const int64_t sent = of_rows ? A->rows : A->nnz;
        if (w->receives && r != rank && count > 0) {
            come[p.receive_count++] =
                (tulle_comm_piece){r, (size_t)(count * item), array + before * item};
        }
        if ((w->root < 0 || w->root == r) && r != rank && sent > 0) {
            go[p.send_count++] = (tulle_comm_piece){r, (size_t)(sent * item), array + own * item};
        }
        before += count;
    }
    return tulle__dist_exchange(ctx, A->comm, here, &p);
}

/* Collects the rows of all processes. Offsets travel as they are in the whole matrix. */
static tulle_status collect_rows(tulle_ctx *ctx, gathering *w) {
    const tulle_dist_mat *A = w->A;
    TULLE__TRY(tulle__comm_gather(A->comm, &A->nnz, sizeof A->nnz, w->entries));
    tulle_status here = take_arrays(ctx, w);
    if (here == TULLE_OK) here = join_own(ctx, w);
    const tulle__draft *d = &w->draft;
    TULLE__TRY(collect_array(ctx, w, here, d->arrays.offsets, tulle_offset_size(d->index), true));
    TULLE__TRY(
        collect_array(ctx, w, TULLE_OK, d->arrays.cols_of, tulle_index_size(d->index), false));
    return collect_array(ctx, w, TULLE_OK, d->values, tulle_type_size(d->type), false);
}

/* Makes the matrix of what came. */
static tulle_status finish(gathering *w, tulle_mat **made) {
    tulle__draft draft = w->draft;
    if (!w->receives) return TULLE_OK;
    w->draft = (tulle__draft){.ctx = NULL};
    return tulle__draft_finish(&draft, NULL, made);
}

tulle_status tulle__dist_mat_collect(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                                     int root, tulle_mat **made) {
    gathering w = {.A = A, .receives = root < 0 || A->comm->functions.rank == root, .root = root};
    if (w.receives) *made = NULL;
    if (here == TULLE_OK) here = take_tables(ctx, &w);
    tulle_status status = tulle__comm_agree(A->comm, NULL, here, NULL, 0);
    if (status == TULLE_OK) {
        status = collect_rows(ctx, &w);
        if (status == TULLE_OK) status = finish(&w, made);
        status = tulle__comm_agree(A->comm, NULL, status, NULL, 0);
    }
    if (w.receives && status != TULLE_OK) {
        tulle_mat_destroy(*made);
        *made = NULL;
    }
    if (w.draft.ctx) tulle__draft_free(&w.draft);
    tulle__host_free(ctx, w.entries);
    tulle__host_free(ctx, w.pieces);
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
