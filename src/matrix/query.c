/* SPDX-License-Identifier: Apache-2.0 */
/* What a matrix says of itself. */
#include <string.h>

#include "matrix/build.h"

static int64_t pattern_bytes(const tulle__pattern *p) {
    int64_t size = tulle_index_size(p->index);
    if (p->format == TULLE_COO) return 2 * p->nnz * size;
    return (p->rows + 1) * tulle_offset_size(p->index) + p->nnz * size;
}

tulle_status tulle_mat_describe(const tulle_mat *A, tulle_mat_info *info) {
    TULLE__NEED(A);
    TULLE__NEED(info);
    const tulle__pattern *p = A->pattern;
    *info = (tulle_mat_info){.rows = p->rows,
                             .cols = p->cols,
                             .nnz = p->nnz,
                             .format = p->format,
                             .type = A->type,
                             .index = p->index,
                             .backend = A->ctx->kind,
                             .pattern_bytes = pattern_bytes(p),
                             .value_bytes = p->nnz * tulle_type_size(A->type),
                             .plan_bytes = tulle__plans_bytes(A),
                             .sorted = p->stats.sorted,
                             .min_row = p->stats.min_row,
                             .max_row = p->stats.max_row,
                             .empty_rows = p->stats.empty_rows,
                             .mean_row = p->stats.mean_row,
                             .sd_row = p->stats.sd_row,
                             .bandwidth = p->stats.bandwidth};
    memcpy(info->row_histogram, p->stats.row_histogram, sizeof info->row_histogram);
    return TULLE_OK;
}

tulle_status tulle_mat_view(const tulle_mat *A, tulle_mat_arrays *arrays) {
    TULLE__NEED(A);
    TULLE__NEED(arrays);
    *arrays = (tulle_mat_arrays){.offsets = A->pattern->offsets.data,
                                 .rows = A->pattern->rows_of.data,
                                 .cols = A->pattern->cols_of.data,
                                 .values = A->values.data};
    return TULLE_OK;
}

static tulle_status read_array(tulle_ctx *ctx, void *to, const void *from, int64_t count,
                               int64_t size) {
    if (!to || !from || count == 0) return TULLE_OK;
    return ctx->backend->copy(&ctx->place, to, from, tulle__bytes(count, size));
}

tulle_status tulle_mat_read(tulle_ctx *ctx, const tulle_mat *A, void *offsets, void *rows,
                            void *columns, void *values) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    const tulle__pattern *p = A->pattern;
    int64_t size = tulle_index_size(p->index);
    TULLE__TRY(read_array(ctx, offsets, p->offsets.data, p->rows + 1, tulle_offset_size(p->index)));
    TULLE__TRY(read_array(ctx, rows, p->rows_of.data, p->nnz, size));
    TULLE__TRY(read_array(ctx, columns, p->cols_of.data, p->nnz, size));
    TULLE__TRY(read_array(ctx, values, A->values.data, p->nnz, tulle_type_size(A->type)));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}
