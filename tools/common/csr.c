/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/csr.h"

#include <stdlib.h>

#include "tools/common/error.h"

static void look(tool_csr *csr, const tulle_mat *A) {
    tulle_mat_arrays arrays;
    tulle_mat_view(A, &arrays);
    csr->offsets = arrays.offsets;
    csr->columns = arrays.cols;
    csr->values = arrays.values;
    csr->order = arrays.order;
}

static tulle_status copy(tool_csr *csr, tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat_lengths n;
    tulle_status status = tulle_mat_counts(A, &n);
    if (status != TULLE_OK) return status;
    size_t index = (size_t)tulle_index_size(csr->index);
    csr->owned[0] = tool_alloc((size_t)n.offsets, (size_t)tulle_offset_size(csr->index));
    csr->owned[1] = tool_alloc((size_t)n.cols, index);
    csr->owned[2] = tool_alloc((size_t)n.values, (size_t)tulle_type_size(csr->type));
    if (n.order > 0) csr->owned[3] = tool_alloc((size_t)n.order, index);
    csr->offsets = csr->owned[0];
    csr->columns = csr->owned[1];
    csr->values = csr->owned[2];
    csr->order = csr->owned[3];
    const tulle_mat_buffers to = {.offsets = csr->owned[0],
                                  .cols = csr->owned[1],
                                  .order = csr->owned[3],
                                  .values = csr->owned[2]};
    return tulle_mat_read_arrays(ctx, A, &to);
}

static tulle_status open_rows(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr) {
    tulle_mat *const made = csr->made;
    tulle_mat_info info;
    const tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    *csr = (tool_csr){.rows = info.rows,
                      .cols = info.cols,
                      .nnz = info.nnz,
                      .heads = info.format == TULLE_DCSR ? info.storage.heads : info.rows,
                      .type = info.type,
                      .index = info.index,
                      .made = made};
    if (info.backend != TULLE_CPU) return copy(csr, ctx, A);
    look(csr, A);
    return TULLE_OK;
}

tulle_status tool_csr_open(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr) {
    tulle_mat_info info;
    *csr = (tool_csr){.rows = 0};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    const bool is_rows = info.format == TULLE_CSR || info.format == TULLE_DCSR;
    if (!is_rows) {
        status = tulle_mat_convert(ctx, A, TULLE_CSR, info.index, 0, &csr->made);
    }
    if (status == TULLE_OK) status = open_rows(ctx, csr->made ? csr->made : A, csr);
    if (status != TULLE_OK) tool_csr_close(csr);
    return status;
}

tulle_status tool_csr_open_blocks(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr) {
    tulle_mat_info info;
    *csr = (tool_csr){.rows = 0};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    if (info.format != TULLE_BSR) return tool_csr_open(ctx, A, csr);
    status = open_rows(ctx, A, csr);
    if (status != TULLE_OK) tool_csr_close(csr);
    if (status != TULLE_OK) return status;
    csr->rows /= info.storage.block;
    csr->cols /= info.storage.block;
    csr->heads = csr->rows;
    csr->nnz /= (int64_t)info.storage.block * info.storage.block;
    return TULLE_OK;
}

void tool_csr_close(tool_csr *csr) {
    for (int i = 0; i < 4; i++) free(csr->owned[i]);
    tulle_mat_destroy(csr->made);
    *csr = (tool_csr){0};
}
