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

/* Makes new numbers of the columns of A's edge, which are among the others of `cols`. */
static tulle_status name_edge(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__columns *cols,
                              int64_t **names) {
    int64_t at = 0;
    *names = tulle__host_alloc(ctx, (size_t)A->halo.come_rows * sizeof **names + 1);
    if (!*names) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < A->halo.come_rows; k++) {
        while (cols->others[at] < A->edge_col[k]) at++;
        (*names)[k] = at < cols->lower ? at : at + cols->end - cols->begin;
    }
    return TULLE_OK;
}

/* The places of rows that came in a local matrix: first those below the own rows, then those
 * above. */
typedef struct seats {
    int64_t lower, count;   /* numbers of rows below the own ones, and of all */
    int64_t lower_nnz, own; /* numbers of entries of rows below, and of own rows */
    void *offsets;          /* [count + 1] in host memory, as those of the local matrix */
} seats;

/* Puts offsets of all rows of other processes. */
static tulle_status find_seats(tulle_ctx *ctx, tulle_index index, const tulle__columns *names,
                               const tulle__guests *came, const int64_t *came_names, seats *s) {
    const int64_t wide = tulle_offset_size(index);
    int64_t k = 0;
    s->offsets = tulle__host_alloc(ctx, (size_t)((s->count + 1) * wide));
    if (!s->offsets) return TULLE_OUT_OF_MEMORY;
    for (int64_t j = 0; j <= s->count; j++) {
        const int64_t at = came->offsets[k];
        if (j == s->lower) s->lower_nnz = at;
        tulle__put(s->offsets, wide, j, j < s->lower ? at : at + s->own);
        if (j == s->count || k == came->rows || came_names[k] != names->others[j]) continue;
        k++;
    }
    return TULLE_OK;
}

/* Copies offsets of other rows around those of own rows: a row before them, if there are such, and
 * one behind. */
static tulle_status seat_offsets(const tulle__draft *d, const seats *s) {
    const size_t wide = (size_t)tulle_offset_size(d->index);
    const size_t lower = (size_t)s->lower * wide, upper = (size_t)(s->count - s->lower + 1) * wide;
    char *const to = d->arrays.offsets, *const from = s->offsets;
    if (lower > 0) TULLE__TRY(tulle__copy_wait(d->ctx, to, from, lower));
    const int64_t behind = d->rows - (s->count - s->lower);
    return tulle__copy_wait(d->ctx, to + (size_t)behind * wide, from + lower, upper);
}

/* Puts entries of rows that came into a part of the arrays, with columns that are numbered by a
 * job. */
static tulle_status seat_part(const tulle__draft *d, const tulle__guests *came, int64_t first,
                              int64_t end, int64_t at, tulle__place_job *job) {
    const int64_t size = tulle_type_size(d->type);
    if (first == end) return TULLE_OK;
    job->count = end - first;
    job->columns = came->columns + first;
    job->index_size = tulle_index_size(d->index);
    job->to = (char *)d->arrays.cols_of + at * job->index_size;
    TULLE__TRY(d->ctx->backend->dist->dist_place(&d->ctx->place, job));
    return d->ctx->backend->copy(&d->ctx->place, (char *)d->values + at * size,
                                 (char *)came->values + first * size,
                                 (size_t)((end - first) * size));
}

/* Puts rows that came to their places. */
static tulle_status seat(const tulle__draft *d, const tulle__columns *cols,
                         const tulle__guests *came, const seats *s) {
    const size_t bytes = (size_t)cols->count * sizeof *cols->others;
    void *others = NULL;
    TULLE__TRY(seat_offsets(d, s));
    if (came->nnz == 0) return TULLE_OK;
    TULLE__TRY(tulle__alloc(d->ctx, bytes, &others));
    tulle__place_job job = {.begin = cols->begin,
                            .end = cols->end,
                            .lower = cols->lower,
                            .others = others,
                            .other_count = cols->count};
    const int64_t lower = s->lower_nnz;
    tulle_status status =
        bytes > 0 ? tulle__copy_wait(d->ctx, others, cols->others, bytes) : TULLE_OK;
    if (status == TULLE_OK) status = seat_part(d, came, 0, lower, 0, &job);
    if (status == TULLE_OK) status = seat_part(d, came, lower, came->nnz, lower + s->own, &job);
    tulle__free(d->ctx, others);
    return status;
}

/* Joins own rows behind the rows below them. */
static tulle_status join_own(const tulle__draft *d, const tulle_dist_mat *A,
                             const tulle__columns *cols, const seats *s) {
    const int64_t wide = tulle_offset_size(d->index);
    tulle__join_job job;
    int64_t *names = NULL;
    void *scratch = NULL;
    tulle_status status = name_edge(d->ctx, A, cols, &names);
    if (status == TULLE_OK) status = tulle__join_begin(d->ctx, A, names, &job, &scratch);
    if (status == TULLE_OK) {
        job.shift = cols->lower;
        job.before = s->lower_nnz;
        job.offset_size = wide;
        job.index_size = tulle_index_size(d->index);
        job.offsets = (char *)d->arrays.offsets + s->lower * wide;
        job.cols_of = d->arrays.cols_of;
        job.values = d->values;
        status = d->ctx->backend->dist->dist_join(&d->ctx->place, &job);
    }
    tulle__free(d->ctx, scratch);
    tulle__host_free(d->ctx, names);
    return status;
}

/* Makes the matrix of a draft whose arrays were filled with some status. rising: true where the
 * columns of each row are known to rise; else all of them are looked at. */
static tulle_status finish(tulle__draft *d, tulle_status status, bool rising, tulle_mat **L) {
    const tulle__asked asked = {true, d->index};
    if (status == TULLE_OK) return tulle__result_finish(d, asked, rising, L);
    tulle__draft_free(d);
    return status;
}

tulle_status tulle__local_stack(tulle_ctx *ctx, const tulle_dist_mat *A,
                                const tulle__columns *names, const tulle__guests *came,
                                const int64_t *came_names, const tulle__columns *cols,
                                tulle_mat **L) {
    seats s = {.lower = names->lower, .count = names->count, .own = A->nnz};
    tulle__draft d = {.ctx = ctx,
                      .rows = A->rows + names->count,
                      .cols = tulle__columns_all(cols),
                      .nnz = A->nnz + came->nnz,
                      .format = TULLE_CSR,
                      .type = A->type};
    *L = NULL;
    d.index = tulle__local_index(d.rows, d.cols, d.nnz);
    tulle_status status = find_seats(ctx, d.index, names, came, came_names, &s);
    if (status == TULLE_OK) status = tulle__draft_alloc(&d);
    if (status == TULLE_OK) {
        status = seat(&d, cols, came, &s);
        if (status == TULLE_OK) status = join_own(&d, A, cols, &s);
        status = finish(&d, status, A->rising, L);
    }
    tulle__host_free(ctx, s.offsets);
    return status;
}

tulle_status tulle__local_own(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__columns *cols,
                              tulle_mat **L) {
    const tulle__columns rows = {.end = A->rows};
    int64_t none = 0;
    const tulle__guests nobody = {.type = A->type, .offsets = &none};
    return tulle__local_stack(ctx, A, &rows, &nobody, NULL, cols, L);
}

tulle_status tulle__local_guests(tulle_ctx *ctx, const tulle__guests *came,
                                 const tulle__columns *cols, bool rising, tulle_mat **L) {
    const int64_t all = tulle__columns_all(cols);
    seats s = {.count = came->rows};
    tulle__draft d = {.ctx = ctx,
                      .rows = came->rows,
                      .cols = all,
                      .nnz = came->nnz,
                      .format = TULLE_CSR,
                      .index = tulle__local_index(came->rows, all, came->nnz),
                      .type = came->type};
    s.offsets = tulle__host_alloc(ctx, (size_t)((s.count + 1) * tulle_offset_size(d.index)));
    if (!s.offsets) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k <= s.count; k++) {
        tulle__put(s.offsets, tulle_offset_size(d.index), k, came->offsets[k]);
    }
    tulle_status status = tulle__draft_alloc(&d);
    if (status == TULLE_OK) status = finish(&d, seat(&d, cols, came, &s), rising, L);
    tulle__host_free(ctx, s.offsets);
    return status;
}
