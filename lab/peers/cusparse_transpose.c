/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: cusparseCsr2cscEx2, whose CSC of A is A' in CSR. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "lab/peers/cusparse_result.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

typedef struct transpose_task {
    cusparse_result result; /* must be the first member */
    tulle_mat_arrays a;
    int rows, cols, nnz; /* sizes of A */
} transpose_task;

/* Arguments with which both calls begin. */
#define ARGUMENTS(t)                                                                               \
    (t)->result.handle, (t)->rows, (t)->cols, (t)->nnz, (t)->a.values,                             \
        (const int *)(t)->a.offsets, (const int *)(t)->a.cols, (t)->result.values,                 \
        (int *)(t)->result.offsets, (int *)(t)->result.columns, (t)->result.data_type,             \
        CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT

static tulle_status make(void *state, bool pooled) {
    transpose_task *t = state;
    size_t bytes = 0;
    void *buffer = NULL;
    t->result.memory.pooled = pooled;
    tulle_status status = cusparse_result_offsets(&t->result);
    if (status == TULLE_OK) status = cusparse_result_entries(&t->result, t->nnz);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCsr2cscEx2_bufferSize, ARGUMENTS(t), &bytes);
    status = cuda_memory_take(&t->result.memory, bytes, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCsr2cscEx2, ARGUMENTS(t), buffer);
    return TULLE_OK;
}

static void drop(void *state) {
    transpose_task *t = state;
    cusparse_result_drop(&t->result);
}

static void close_task(void *state) {
    transpose_task *t = state;
    cusparse_result_close(&t->result);
    free(t);
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    (void)peer;
    tulle_status status = cusparse_takes(making);
    if (status != TULLE_OK) return status;
    const tulle_mat_info *A = &making->a;
    transpose_task *t = tool_alloc(1, sizeof *t);
    *t = (transpose_task){.rows = (int)A->rows, .cols = (int)A->cols, .nnz = (int)A->nnz};
    *task = (trial_task){.state = t};
    status = cusparse_result_open(making, A->cols, A->rows, &t->result);
    if (status == TULLE_OK) status = tulle_mat_view(making->A, &t->a);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static const bench_peer_maker maker = {
    .capped = true,
    .open = open_task,
    .make = make,
    .drop = drop,
    .take = cusparse_result_take,
    .peak = cusparse_result_peak,
    .close = close_task,
};

const bench_peer bench_peer_cusparse_csr2csc = {
    .name = "cusparse_csr2csc",
    .library = "cusparse",
    .gpu = true,
    .op = "transpose",
    .maker = &maker,
    .available = cusparse_available,
};

#endif
