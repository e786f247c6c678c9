/* SPDX-License-Identifier: Apache-2.0 */
/* Making, describing and giving up a distributed matrix. */
#include "dist/dist.h"
#include "matrix/build.h"

static const char *const function = "tulle_dist_mat_create";

static tulle_status check_pointers(const tulle_ctx *ctx, tulle_dist_mat **A) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, A);
    return TULLE_OK;
}

static tulle_status check_arrays(int64_t rows, int64_t cols, const tulle__dist_rows *g,
                                 tulle_type type) {
    TULLE__TRY(tulle__check_type(function, type));
    if (rows < 0 || cols < 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, rows < 0 ? "rows" : "cols", -1,
                           "rows is %lld, cols %lld", (long long)rows, (long long)cols);
    }
    if (!g->offsets) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "offsets", -1, "offsets is NULL");
    }
    for (int64_t i = 0; i <= rows; i++) {
        if (g->offsets[i] >= (i == 0 ? 0 : g->offsets[i - 1]) && g->offsets[0] == 0) continue;
        return tulle__fail(TULLE_INVALID_MATRIX, function, "offsets", i > 0 ? i - 1 : 0,
                           "offsets start at 0 and never fall: number %lld is %lld", (long long)i,
                           (long long)g->offsets[i]);
    }
    if (g->offsets[rows] == 0 || (g->columns && g->values)) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, g->columns ? "values" : "columns", -1,
                       "%s is NULL", g->columns ? "values" : "columns");
}

static tulle_status check_columns(const tulle_dist_mat *A, const tulle__dist_rows *g) {
    const int64_t end = A->col_starts[A->comm->functions.ranks];
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t k = g->offsets[i]; k < g->offsets[i + 1]; k++) {
            if (g->columns[k] >= 0 && g->columns[k] < end) continue;
            return tulle__fail(TULLE_INVALID_MATRIX, function, "columns", i,
                               "row %lld of this process has column %lld; the matrix has %lld",
                               (long long)i, (long long)g->columns[k], (long long)end);
        }
    }
    return TULLE_OK;
}

/* Tells all processes the sizes of each, whose sums fail in all of them alike. all: room, [ranks].
 */
static tulle_status share_sizes(tulle_dist_mat *A, const tulle__dist_sizes *own,
                                tulle__dist_sizes *all) {
    const int ranks = A->comm->functions.ranks;
    TULLE__TRY(tulle__comm_gather(A->comm, own, sizeof *own, all));
    bool fits = true;
    A->rising = true;
    for (int r = 0; r < ranks; r++) {
        fits &= !__builtin_add_overflow(A->row_starts[r], all[r].rows, A->row_starts + r + 1);
        fits &= !__builtin_add_overflow(A->col_starts[r], all[r].cols, A->col_starts + r + 1);
        fits &= !__builtin_add_overflow(A->all_nnz, all[r].nnz, &A->all_nnz);
        A->rising &= all[r].rising > 0;
    }
    if (fits) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, function, NULL, -1,
                       "the rows, columns or entries of all processes are more than 2^63 - 1");
}

static tulle_status make(tulle_dist_mat *A, const tulle__dist_making *m, tulle__dist_sizes *room) {
    TULLE__TRY(share_sizes(A, m->own, room));
    const tulle_status status = m->fill(A, m->given);
    const tulle__halo_needs needs = {A->col_starts, A->edge_col, A->halo.come_rows};
    TULLE__TRY(tulle__halo_make(A->ctx, A->comm, status, &needs, &A->halo));
    return tulle__comm_agree(A->comm, m->function, tulle__halo_place(A->ctx, &A->halo), NULL, 0);
}

static tulle_status make_head(tulle_ctx *ctx, tulle_comm *comm, tulle_dist_mat **A) {
    const size_t ranks = (size_t)comm->functions.ranks;
    tulle_dist_mat *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    atomic_init(&made->owners, 1);
    tulle__ctx_retain(ctx);
    made->ctx = ctx;
    made->comm = tulle__comm_retain(comm);
    *A = made;
    made->row_starts = tulle__host_alloc(ctx, (ranks + 1) * sizeof *made->row_starts);
    made->col_starts = tulle__host_alloc(ctx, (ranks + 1) * sizeof *made->col_starts);
    return made->row_starts && made->col_starts ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__dist_make(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__dist_making *m, tulle_dist_mat **A) {
    const tulle__agreement facts[] = {{"type", (uint64_t)m->type},
                                      {"ctx: a CPU or a GPU", ctx ? (uint64_t)ctx->kind : 0}};
    tulle_dist_mat *made = NULL;
    tulle__dist_sizes *room = NULL;
    if (here == TULLE_OK) {
        room = tulle__host_alloc(ctx, (size_t)comm->functions.ranks * sizeof *room);
        here = room ? make_head(ctx, comm, &made) : TULLE_OUT_OF_MEMORY;
    }
    tulle_status status = tulle__comm_agree(comm, m->function, here, facts, 2);
    if (made && status == TULLE_OK) {
        made->type = m->type;
        made->rows = m->own->rows;
        made->cols = m->own->cols;
        made->nnz = m->own->nnz;
        status = make(made, m, room);
    }
    tulle__host_free(ctx, room);
    if (status == TULLE_OK) {
        *A = made;
        return TULLE_OK;
    }
    tulle_dist_mat_destroy(made);
    return status;
}

/* Returns true where the columns of each of the caller's rows rise. */
static bool are_rising(int64_t rows, const tulle__dist_rows *g) {
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = g->offsets[i] + 1; k < g->offsets[i + 1]; k++) {
            if (g->columns[k] <= g->columns[k - 1]) return false;
        }
    }
    return true;
}

/* Makes the matrices of the caller's rows. */
static tulle_status fill(tulle_dist_mat *A, const void *given) {
    TULLE__TRY(check_columns(A, given));
    return tulle__dist_split(A, given);
}

tulle_status tulle_dist_mat_create(tulle_ctx *ctx, tulle_comm *comm, int64_t rows, int64_t cols,
                                   const int64_t *offsets, const int64_t *columns, tulle_type type,
                                   const void *values, tulle_dist_mat **A) {
    if (A) *A = NULL;
    TULLE__NEED(comm);
    const tulle__dist_rows given = {offsets, columns, values};
    tulle_status here = check_pointers(ctx, A);
    if (here == TULLE_OK) here = check_arrays(rows, cols, &given, type);
    tulle__dist_sizes own = {rows, cols, 0, 0};
    if (here == TULLE_OK) {
        own.nnz = offsets[rows];
        own.rising = are_rising(rows, &given);
    }
    return tulle__dist_make(ctx, comm, here,
                            &(tulle__dist_making){function, &own, type, fill, &given}, A);
}

/* Checks the offsets of new values against the number of entries. */
static tulle_status check_offsets(const tulle_dist_mat *A, const int64_t *offsets) {
    for (int64_t i = 0; i <= A->rows; i++) {
        const int64_t least = i == 0 ? 0 : offsets[i - 1], most = i == 0 ? 0 : A->nnz;
        const bool is_last = i == A->rows;
        if (offsets[i] >= least && offsets[i] <= most && (!is_last || offsets[i] == A->nnz))
            continue;
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_dist_mat_set_values", "offsets", -1,
                           "offsets are not those with which A was made: number %lld is %lld",
                           (long long)i, (long long)offsets[i]);
    }
    return TULLE_OK;
}

tulle_status tulle_dist_mat_set_values(tulle_dist_mat *A, const int64_t *offsets,
                                       const int64_t *columns, const void *values) {
    TULLE__NEED(A);
    TULLE__NEED(offsets);
    if (A->nnz > 0) {
        TULLE__NEED(columns);
        TULLE__NEED(values);
    }
    TULLE__TRY(check_offsets(A, offsets));
    return tulle__dist_refill(A, &(tulle__dist_rows){offsets, columns, values});
}

tulle_dist_mat *tulle_dist_mat_retain(tulle_dist_mat *A) {
    if (A) atomic_fetch_add(&A->owners, 1);
    return A;
}

void tulle_dist_mat_destroy(tulle_dist_mat *A) {
    if (!A || atomic_fetch_sub(&A->owners, 1) > 1) return;
    tulle_ctx *ctx = A->ctx;
    tulle_linop_destroy(A->inner);
    tulle_linop_destroy(A->outer);
    tulle_linop_destroy(A->back);
    tulle_linop_destroy(A->rim);
    tulle_mat_destroy(A->block);
    tulle_mat_destroy(A->edge);
    tulle_mat_destroy(A->whole_edge);
    tulle__free(ctx, A->edge_order);
    tulle__host_free(ctx, A->edge_row);
    tulle__host_free(ctx, A->edge_col);
    tulle__halo_release(ctx, &A->halo);
    tulle__own_vector_release(&A->some);
    tulle__own_vector_release(&A->wide);
    tulle__own_vector_release(&A->exact);
    tulle__host_free(ctx, A->row_starts);
    tulle__host_free(ctx, A->col_starts);
    tulle_comm_destroy(A->comm);
    tulle__host_free(ctx, A);
    tulle__ctx_release(ctx);
}

tulle_mat *tulle_dist_mat_block(const tulle_dist_mat *A) {
    return A ? A->block : NULL;
}

tulle_status tulle_dist_mat_describe(const tulle_dist_mat *A, tulle_dist_mat_info *info) {
    TULLE__NEED(A);
    TULLE__NEED(info);
    const int ranks = A->comm->functions.ranks, rank = A->comm->functions.rank;
    *info = (tulle_dist_mat_info){.rows = A->row_starts[ranks],
                                  .cols = A->col_starts[ranks],
                                  .nnz = A->all_nnz,
                                  .first_row = A->row_starts[rank],
                                  .local_rows = A->rows,
                                  .first_col = A->col_starts[rank],
                                  .local_cols = A->cols,
                                  .local_nnz = A->nnz,
                                  .edge_rows = A->edge_rows,
                                  .received = A->halo.come_rows,
                                  .sent = A->halo.go_rows,
                                  .receives_from = A->halo.come_count,
                                  .sends_to = A->halo.go_count,
                                  .type = A->type};
    return TULLE_OK;
}
