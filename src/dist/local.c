/* SPDX-License-Identifier: Apache-2.0 */
/* Local matrices of rows of distributed ones, in the place's memory: own rows are joined there, and
 * rows that came are copied there. */
#include "core/access.h"
#include "dist/functions.h"
#include "dist/rows.h"
#include "matrix/build.h"
#include "matrix/result.h"

tulle_index tulle__local_index(int64_t rows, int64_t cols, int64_t nnz) {
    const int64_t most = INT32_MAX;
    return rows < most && cols < most && nnz < most ? TULLE_I32 : TULLE_I64;
}

/* Makes new numbers of the columns of A's edge. */
static tulle_status name_edge(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__columns *cols,
                              int64_t **names) {
    int64_t near = 0;
    *names = tulle__host_alloc(ctx, (size_t)A->halo.come_rows * sizeof **names + 1);
    if (!*names) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < A->halo.come_rows; k++) {
        (*names)[k] = tulle__columns_place(cols, A->edge_col[k], &near);
    }
    return TULLE_OK;
}

/* Rows of other processes in a local matrix, in host memory, in the types that it has: first those
 * below the own rows, then those above. */
typedef struct guests {
    int64_t lower, count;   /* numbers of rows below the own ones, and of all */
    int64_t lower_nnz, nnz; /* numbers of their entries */
    const tulle__rows *came;
    void *offsets, *columns; /* [count + 1], as those of the local matrix; [nnz] */
} guests;

/* Numbers the columns of rows that came, and puts offsets of all rows of other processes. own:
 * number of entries of own rows. */
static tulle_status invite(tulle_ctx *ctx, tulle_index index, int64_t own,
                           const tulle__columns *names, const int64_t *came_names,
                           const tulle__columns *cols, guests *g) {
    const int64_t wide = tulle_offset_size(index), narrow = tulle_index_size(index);
    int64_t k = 0, at = 0, near = 0;
    g->offsets = tulle__host_alloc(ctx, (size_t)((g->count + 1) * wide));
    g->columns = tulle__host_alloc(ctx, (size_t)(g->nnz * narrow) + 1);
    if (!g->offsets || !g->columns) return TULLE_OUT_OF_MEMORY;
    for (int64_t j = 0; j <= g->count; j++) {
        if (j == g->lower) g->lower_nnz = at;
        tulle__put(g->offsets, wide, j, j < g->lower ? at : at + own);
        if (j == g->count || k == g->came->rows || came_names[k] != names->others[j]) continue;
        for (; at < g->came->offsets[k + 1]; at++) {
            const int64_t column = tulle__columns_place(cols, g->came->columns[at], &near);
            tulle__put(g->columns, narrow, at, column);
        }
        k++;
    }
    return TULLE_OK;
}

/* Copies rows of other processes to their places around the own ones: a row before them, if there
 * are such, and one behind. */
static tulle_status seat(const tulle__draft *d, const guests *g, int64_t rows, int64_t nnz) {
    const int64_t wide = tulle_offset_size(d->index), narrow = tulle_index_size(d->index);
    const int64_t item = tulle_type_size(d->type);
    const int64_t upper = g->count - g->lower, behind = g->lower_nnz + nnz;
    char *const to[] = {d->arrays.offsets, d->arrays.cols_of, d->values};
    char *const from[] = {g->offsets, g->columns, g->came->values};
    const int64_t size[] = {wide, narrow, item};
    const int64_t before[] = {g->lower, g->lower_nnz, g->lower_nnz};
    const int64_t after[] = {upper + 1, g->nnz - g->lower_nnz, g->nnz - g->lower_nnz};
    const int64_t place[] = {g->lower + rows, behind, behind};
    for (int k = 0; k < 3; k++) {
        const size_t first = (size_t)(before[k] * size[k]), last = (size_t)(after[k] * size[k]);
        if (first > 0) TULLE__TRY(tulle__copy_wait(d->ctx, to[k], from[k], first));
        if (last == 0) continue;
        TULLE__TRY(tulle__copy_wait(d->ctx, to[k] + place[k] * size[k], from[k] + first, last));
    }
    return TULLE_OK;
}

/* Joins own rows behind the rows below them. */
static tulle_status join_own(const tulle__draft *d, const tulle_dist_mat *A,
                             const tulle__columns *cols, const guests *g) {
    const int64_t wide = tulle_offset_size(d->index);
    tulle__join_job job;
    int64_t *names = NULL;
    void *scratch = NULL;
    tulle_status status = name_edge(d->ctx, A, cols, &names);
    if (status == TULLE_OK) status = tulle__join_begin(d->ctx, A, names, &job, &scratch);
    if (status == TULLE_OK) {
        job.shift = cols->lower;
        job.before = g->lower_nnz;
        job.offset_size = wide;
        job.index_size = tulle_index_size(d->index);
        job.offsets = (char *)d->arrays.offsets + g->lower * wide;
        job.cols_of = d->arrays.cols_of;
        job.values = d->values;
        status = d->ctx->backend->dist->dist_join(&d->ctx->place, &job);
    }
    tulle__free(d->ctx, scratch);
    tulle__host_free(d->ctx, names);
    return status;
}

tulle_status tulle__local_stack(tulle_ctx *ctx, const tulle_dist_mat *A,
                                const tulle__columns *names, const tulle__rows *came,
                                const int64_t *came_names, const tulle__columns *cols,
                                tulle_mat **L) {
    guests g = {.lower = names->lower,
                .count = names->count,
                .nnz = came->offsets[came->rows],
                .came = came};
    tulle__draft d = {.ctx = ctx,
                      .rows = A->rows + names->count,
                      .cols = tulle__columns_all(cols),
                      .nnz = A->nnz + g.nnz,
                      .format = TULLE_CSR,
                      .type = A->type};
    *L = NULL;
    d.index = tulle__local_index(d.rows, d.cols, d.nnz);
    tulle_status status = invite(ctx, d.index, A->nnz, names, came_names, cols, &g);
    if (status == TULLE_OK) status = tulle__draft_alloc(&d);
    if (status == TULLE_OK) {
        status = seat(&d, &g, A->rows, A->nnz);
        if (status == TULLE_OK) status = join_own(&d, A, cols, &g);
        if (status == TULLE_OK) {
            status = tulle__draft_finish(&d, NULL, L);
        } else {
            tulle__draft_free(&d);
        }
    }
    tulle__host_free(ctx, g.offsets);
    tulle__host_free(ctx, g.columns);
    return status;
}

tulle_status tulle__local_own(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__columns *cols,
                              tulle_mat **L) {
    const tulle__columns rows = {.end = A->rows};
    int64_t none = 0;
    const tulle__rows nobody = {.type = A->type, .offsets = &none};
    return tulle__local_stack(ctx, A, &rows, &nobody, NULL, cols, L);
}
