/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/turn.h"

#include <string.h>

#include "matrix/functions.h"

/* Largest memory of the rows that a row's entries lead to, in bytes, so that a cache keeps them
 * from one row to the next: a third of the second level of an H200. */
static const int64_t near_bytes = INT64_C(16) << 20;

/* True when no row is much longer than the others. Few lanes take a row, so a long one is waited
 * for; where rows are unlike, as in a graph, the place of a mirror image is not guessed either,
 * but searched for. */
static bool rows_are_alike(const tulle__stats *stats) {
    return (double)stats->max_row <= 8 * stats->mean_row + 32;
}

/* True when it is worth a try to find each entry in its mirrored place. */
static bool may_mirror(const tulle_ctx *ctx, const tulle__pattern *p, int64_t value_size) {
    if (ctx->kind == TULLE_CPU) return false; /* it never pays there (turn_cpu.c) */
    if (p->rows != p->cols || !p->stats.rising || p->nnz == 0) return false;
    if (!rows_are_alike(&p->stats)) return false;
    int64_t rows = p->stats.bandwidth < p->rows / 2 ? 2 * p->stats.bandwidth + 1 : p->rows;
    double entry = (double)(tulle_index_size(p->index) + value_size);
    double row = (double)tulle_offset_size(p->index) + p->stats.mean_row * entry;
    return (double)rows * row <= (double)near_bytes;
}

tulle__turning_way tulle__turn_way(const tulle_ctx *ctx) {
    return ctx->pool.cap > 0 ? TULLE__TURN_BUCKETS : TULLE__TURN_BY_SIZE;
}

static tulle_status copy_array(tulle_ctx *ctx, void *to, const void *from, int64_t count,
                               int64_t size) {
    return ctx->backend->copy(&ctx->place, to, from, tulle__bytes(count, size));
}

static tulle_status copy_pattern(tulle_ctx *ctx, const tulle__pattern *p, void *offsets,
                                 void *cols_of) {
    TULLE__TRY(copy_array(ctx, offsets, p->offsets.data, p->rows + 1, tulle_offset_size(p->index)));
    TULLE__TRY(copy_array(ctx, cols_of, p->cols_of.data, p->nnz, tulle_index_size(p->index)));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

tulle_status tulle__turn_pattern(tulle_ctx *ctx, const tulle__pattern *p, void *offsets,
                                 void *cols_of, int64_t *perm) {
    const tulle__pattern_view csr = tulle__view_of(p);
    const tulle__turning job = {.csr = &csr,
                                .type = TULLE_F32, /* there are no values */
                                .offsets = offsets,
                                .out_cols = cols_of,
                                .perm = perm,
                                .rising = p->stats.rising,
                                .way = tulle__turn_way(ctx)};
    bool mirrored = false;
    if (may_mirror(ctx, p, sizeof *perm)) {
        TULLE__TRY(ctx->backend->matrix->mirror_csr(&ctx->place, &job, &mirrored));
    }
    if (mirrored) return copy_pattern(ctx, p, offsets, cols_of);
    TULLE__TRY(ctx->backend->matrix->turn_csr(&ctx->place, &job));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

static tulle__draft draft_of(tulle_ctx *ctx, const tulle_mat *A) {
    const tulle__pattern *p = A->pattern;
    return (tulle__draft){.ctx = ctx,
                          .rows = p->cols,
                          .cols = p->rows,
                          .nnz = p->nnz,
                          .format = TULLE_CSR,
                          .index = p->index,
                          .type = A->type};
}

/* True when other matrices of a context may share a pattern. */
static bool may_share(const tulle_ctx *ctx, const tulle__pattern *p) {
    return p->ctx == ctx && p->offsets.ownership != TULLE_BORROW &&
           p->cols_of.ownership != TULLE_BORROW;
}

/* Makes T with A's pattern, which is its own transpose; the values become T's, or, on failure,
 * stay the caller's. */
static tulle_status around_mirrored(tulle_ctx *ctx, const tulle_mat *A, void *values,
                                    tulle_mat **T) {
    tulle__pattern *p = A->pattern;
    if (may_share(ctx, p)) {
        const tulle__array own = {.data = values, .ownership = TULLE_COPY};
        return tulle__mat_around(ctx, p, A->type, &own, T);
    }
    tulle__draft draft = draft_of(ctx, A);
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle__free(ctx, draft.values);
    draft.values = NULL;
    tulle_status status = copy_pattern(ctx, p, draft.arrays.offsets, draft.arrays.cols_of);
    const tulle__pattern_view view = tulle__draft_view(&draft);
    if (status == TULLE_OK) {
        status = tulle__mat_adopt(ctx, &view, A->type, values, &p->stats, T);
    }
    if (status != TULLE_OK) tulle__draft_free(&draft);
    return status;
}

/* Makes T where A's pattern is its own transpose; else T stays NULL. */
static tulle_status mirror(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **T) {
    const tulle__pattern *p = A->pattern;
    const tulle__pattern_view csr = tulle__view_of(p);
    tulle__turning job = {.csr = &csr, .type = A->type, .values = A->values.data};
    bool mirrored = false;
    size_t bytes;
    TULLE__TRY(tulle__size(p->nnz, tulle_type_size(A->type), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &job.out_values));
    tulle_status status = ctx->backend->matrix->mirror_csr(&ctx->place, &job, &mirrored);
    if (status == TULLE_OK && mirrored) status = around_mirrored(ctx, A, job.out_values, T);
    if (!*T) tulle__free(ctx, job.out_values);
    return status;
}

tulle_status tulle__turned_stats(tulle_ctx *ctx, const tulle__stats *stats,
                                 const tulle__pattern_view *turned, tulle__stats *turned_stats) {
    const tulle__matrix_functions *matrix = ctx->backend->matrix;
    if (stats->rising) {
        return matrix->banded_stats(&ctx->place, turned, stats->bandwidth, turned_stats);
    }
    TULLE__TRY(matrix->check_pattern(&ctx->place, turned, turned_stats));
    return tulle__check_stats(NULL, ctx, turned, turned_stats, 0);
}

static tulle_status find_turned(tulle_ctx *ctx, const tulle__pattern_view *turned,
                                const void *known, tulle__stats *stats) {
    return tulle__turned_stats(ctx, known, turned, stats);
}

/* True when A's pattern turned out to be its own transpose, and T may share it; asked on a CPU,
 * where no mirror images were looked for. */
static bool shares_pattern(const tulle_mat *A, const tulle__draft *turned) {
    const tulle__pattern *p = A->pattern;
    const size_t offsets = tulle__bytes(p->rows + 1, tulle_offset_size(p->index));
    const size_t columns = tulle__bytes(p->nnz, tulle_index_size(p->index));
    return turned->ctx->kind == TULLE_CPU && p->rows == p->cols && p->nnz > 0 &&
           may_share(turned->ctx, p) &&
           memcmp(p->offsets.data, turned->arrays.offsets, offsets) == 0 &&
           memcmp(p->cols_of.data, turned->arrays.cols_of, columns) == 0;
}

static tulle_status finish(tulle_ctx *ctx, const tulle_mat *A, tulle__draft *turned,
                           tulle_mat **T) {
    if (!shares_pattern(A, turned)) {
        return tulle__draft_finish_by(turned, find_turned, &A->pattern->stats, T);
    }
    const tulle_status status = around_mirrored(ctx, A, turned->values, T);
    if (status == TULLE_OK) turned->values = NULL;
    tulle__draft_free(turned);
    return status;
}

static tulle_status turn(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **T) {
    const tulle__pattern *p = A->pattern;
    const tulle__pattern_view csr = tulle__view_of(p);
    tulle__draft draft = draft_of(ctx, A);
    draft.together = true;
    TULLE__TRY(tulle__draft_alloc(&draft));
    const tulle__turning job = {.csr = &csr,
                                .type = A->type,
                                .values = A->values.data,
                                .offsets = draft.arrays.offsets,
                                .out_cols = draft.arrays.cols_of,
                                .out_values = draft.values,
                                .rising = p->stats.rising,
                                .way = tulle__turn_way(ctx)};
    tulle_status status = ctx->backend->matrix->turn_csr(&ctx->place, &job);
    if (status == TULLE_OK) return finish(ctx, A, &draft, T);
    tulle__draft_free(&draft);
    return status;
}

tulle_status tulle__turn(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **T) {
    static const char *const what = "transposing";
    const tulle__pattern *p = A->pattern;
    *T = NULL;
    TULLE__TRY(tulle__progress(ctx, what, 0, p->nnz));
    if (may_mirror(ctx, p, tulle_type_size(A->type))) TULLE__TRY(mirror(ctx, A, T));
    if (!*T) TULLE__TRY(turn(ctx, A, T));
    tulle_status status = tulle__progress(ctx, what, p->nnz, p->nnz);
    if (status != TULLE_OK) {
        tulle_mat_destroy(*T);
        *T = NULL;
    }
    return status;
}
