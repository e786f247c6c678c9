/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUSPARSE
#include "lab/peers/cusparse_result.h"

#include "tools/common/error.h"

tulle_status cusparse_takes(const trial_making *making) {
    bool csr = making->a.format == TULLE_CSR && making->b.format == TULLE_CSR;
    bool narrow = making->a.index == TULLE_I32 && making->b.index == TULLE_I32;
    if (csr && narrow) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "cuSPARSE makes matrices of CSR with 32-bit indices");
}

tulle_status cusparse_result_open(const trial_making *making, int64_t rows, int64_t cols,
                                  cusparse_result *result) {
    *result = (cusparse_result){.ctx = making->ctx,
                                .rows = rows,
                                .cols = cols,
                                .type = making->a.type,
                                .data_type = cusparse_type(making->a.type)};
    tulle_status status = cuda_memory_open(making->ctx, making->cap, &result->memory);
    return status == TULLE_OK ? cusparse_open(making->ctx, &result->handle) : status;
}

tulle_status cusparse_result_offsets(cusparse_result *result) {
    return cuda_memory_take(&result->memory, ((size_t)result->rows + 1) * sizeof(int32_t),
                            &result->offsets);
}

tulle_status cusparse_result_entries(cusparse_result *result, int64_t nnz) {
    size_t count = (size_t)nnz;
    result->nnz = nnz;
    tulle_status status =
        cuda_memory_take(&result->memory, count * sizeof(int32_t), &result->columns);
    if (status != TULLE_OK) return status;
    return cuda_memory_take(&result->memory, count * (size_t)tulle_type_size(result->type),
                            &result->values);
}

tulle_status cusparse_result_take(void *task, tulle_mat **C) {
    const cusparse_result *result = task;
    const tulle_mat_options lent = {.ownership = TULLE_BORROW};
    return tulle_mat_create_csr(result->ctx, result->rows, result->cols, result->nnz, TULLE_I32,
                                result->offsets, result->columns, result->type, result->values,
                                &lent, C);
}

int64_t cusparse_result_peak(const void *task) {
    const cusparse_result *result = task;
    return result->memory.peak;
}

void cusparse_result_drop(cusparse_result *result) {
    cuda_memory_return_all(&result->memory);
    result->offsets = result->columns = result->values = NULL;
    result->nnz = 0;
}

void cusparse_result_close(cusparse_result *result) {
    (void)tulle_ctx_synchronize(result->ctx);
    cusparse_result_drop(result);
    if (result->handle) cusparse.cusparseDestroy(result->handle);
    cuda_memory_close(&result->memory);
}

#endif
