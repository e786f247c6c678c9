/* SPDX-License-Identifier: Apache-2.0 */
#include "csr.h"

#include <stdlib.h>

#include "error.h"

static void look(tool_csr *csr, const tulle_mat *A) {
    tulle_mat_arrays arrays;
    tulle_mat_view(A, &arrays);
    csr->offsets = arrays.offsets;
    csr->columns = arrays.cols;
    csr->values = arrays.values;
}

static tulle_status copy(tool_csr *csr, tulle_ctx *ctx, const tulle_mat *A) {
    size_t nnz = (size_t)csr->nnz;
    csr->owned[0] = tool_alloc((size_t)csr->rows + 1, (size_t)tulle_offset_size(csr->index));
    csr->owned[1] = tool_alloc(nnz, (size_t)tulle_index_size(csr->index));
    csr->owned[2] = tool_alloc(nnz, (size_t)tulle_type_size(csr->type));
    csr->offsets = csr->owned[0];
    csr->columns = csr->owned[1];
    csr->values = csr->owned[2];
    return tulle_mat_read(ctx, A, csr->owned[0], NULL, csr->owned[1], csr->owned[2]);
}

tulle_status tool_csr_open(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr) {
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    *csr = (tool_csr){.rows = info.rows,
                      .cols = info.cols,
                      .nnz = info.nnz,
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

void tool_csr_close(tool_csr *csr) {
    for (int i = 0; i < 3; i++) free(csr->owned[i]);
    *csr = (tool_csr){0};
}
