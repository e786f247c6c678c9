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

/* Opens a matrix in CSR, DCSR or BSR as it is stored: offsets and columns of BSR count blocks;
 * rows, cols and nnz are those of the whole matrix. */
static tulle_status open_stored(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr) {
    tulle_mat_info info;
    *csr = (tool_csr){.rows = 0};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    *csr = (tool_csr){.rows = info.rows,
                      .cols = info.cols,
                      .nnz = info.nnz,
                      .heads = info.format == TULLE_DCSR ? info.storage.heads : info.rows,
                      .type = info.type,
                      .index = info.index};
    if (info.backend == TULLE_CPU) {
        look(csr, A);
        return TULLE_OK;
    }
    status = copy(csr, ctx, A);
    if (status != TULLE_OK) tool_csr_close(csr);
    return status;
}

tulle_status tool_csr_open(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr) {
    tulle_mat_info info;
    *csr = (tool_csr){.rows = 0};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    if (info.format == TULLE_CSR || info.format == TULLE_DCSR) {
        return open_stored(ctx, A, csr);
    }
    tulle_mat *made = NULL;
    status = tulle_mat_convert(ctx, A, TULLE_CSR, info.index, 0, &made);
    if (status == TULLE_OK) status = open_stored(ctx, made, csr);
    if (status == TULLE_OK) {
        csr->made = made;
    } else {
        tulle_mat_destroy(made);
    }
    return status;
}

tulle_status tool_csr_open_blocks(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr) {
    tulle_mat_info info;
    *csr = (tool_csr){.rows = 0};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    if (info.format != TULLE_BSR) return tool_csr_open(ctx, A, csr);
    status = open_stored(ctx, A, csr);
    if (status != TULLE_OK) return status;
    const int64_t block = info.storage.block;
    csr->rows = (csr->rows + block - 1) / block;
    csr->cols = (csr->cols + block - 1) / block;
    csr->heads = csr->rows;
    csr->nnz /= block * block;
    return TULLE_OK;
}

void tool_csr_close(tool_csr *csr) {
    for (int i = 0; i < 4; i++) free(csr->owned[i]);
    tulle_mat_destroy(csr->made);
    *csr = (tool_csr){0};
}
