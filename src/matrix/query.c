/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of a matrix: numbers, statistics, arrays. */
#include <string.h>

#include "matrix/build.h"
#include "matrix/derived.h"

static tulle_mat_lengths counts_of(const tulle__pattern *p) {
    return tulle__counts(p->format, p->rows, p->cols, &p->storage);
}

int64_t tulle_mat_rows(const tulle_mat *A) {
    return A->pattern->rows;
}

int64_t tulle_mat_cols(const tulle_mat *A) {
    return A->pattern->cols;
}

int64_t tulle_mat_nnz(const tulle_mat *A) {
    return A->pattern->nnz;
}

tulle_type tulle_mat_type(const tulle_mat *A) {
    return A->type;
}

tulle_ctx *tulle_mat_context(const tulle_mat *A) {
    return A->ctx;
}

tulle_status tulle_mat_describe(const tulle_mat *A, tulle_mat_info *info) {
    TULLE__NEED(A);
    TULLE__NEED(info);
    const tulle__pattern *p = A->pattern;
    tulle_mat_lengths counts = counts_of(p);
    *info = (tulle_mat_info){.rows = p->rows,
                             .cols = p->cols,
                             .nnz = p->nnz,
                             .format = p->format,
                             .type = A->type,
                             .index = p->index,
                             .backend = A->ctx->kind,
                             .pattern_bytes = tulle__structure_bytes(&counts, p->index),
                             .value_bytes = counts.values * tulle_type_size(A->type),
                             .plan_bytes = tulle__derived_bytes(A),
                             .sorted = p->stats.sorted,
                             .min_row = p->stats.min_row,
                             .max_row = p->stats.max_row,
                             .empty_rows = p->stats.empty_rows,
                             .mean_row = p->stats.mean_row,
                             .sd_row = p->stats.sd_row,
                             .bandwidth = p->stats.bandwidth,
                             .storage = p->storage};
    memcpy(info->row_histogram, p->stats.row_histogram, sizeof info->row_histogram);
    return TULLE_OK;
}

tulle_status tulle_mat_view(const tulle_mat *A, tulle_mat_arrays *arrays) {
    TULLE__NEED(A);
    TULLE__NEED(arrays);
#define A(number, member, field, item, words) .field = A->pattern->member.data,
    *arrays = (tulle_mat_arrays){TULLE__EACH_ARRAY(A).values = A->values.data};
#undef A
    return TULLE_OK;
}

static tulle_status read_array(tulle_ctx *ctx, void *to, const void *from, int64_t count,
                               int64_t size) {
    if (!to || !from || count == 0) return TULLE_OK;
    return ctx->backend->copy(&ctx->place, to, from, tulle__bytes(count, size));
}

tulle_status tulle_mat_counts(const tulle_mat *A, tulle_mat_lengths *counts) {
    TULLE__NEED(A);
    TULLE__NEED(counts);
    *counts = counts_of(A->pattern);
    return TULLE_OK;
}

static tulle_status read_all(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat_buffers *to) {
    const tulle__pattern *p = A->pattern;
    tulle_mat_lengths n = counts_of(p);
#define A(number, member, field, item, words) to->field,
    void *const buffers[TULLE__ARRAYS] = {TULLE__EACH_ARRAY(A)};
#undef A
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        TULLE__TRY(read_array(ctx, buffers[k], p->arrays[k].data, tulle__array_count(&n, k),
                              tulle__array_item(p->index, k)));
    }
    TULLE__TRY(read_array(ctx, to->values, A->values.data, n.values, tulle_type_size(A->type)));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

tulle_status tulle_mat_read_arrays(tulle_ctx *ctx, const tulle_mat *A,
                                   const tulle_mat_buffers *to) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(to);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    return read_all(ctx, A, to);
}

tulle_status tulle_mat_read(tulle_ctx *ctx, const tulle_mat *A, void *offsets, void *rows,
                            void *columns, void *values) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    tulle_mat_buffers to = {.offsets = offsets, .rows = rows, .cols = columns, .values = values};
    return read_all(ctx, A, &to);
}
