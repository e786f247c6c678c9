/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: csrgeam2, which counts C's entries, then computes them. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "lab/peers/cusparse_result.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

typedef struct add_task {
    cusparse_result result; /* must be the first member */
    tulle_mat_arrays a, b;
    int rows, cols, nnz_a, nnz_b;
    cusparseMatDescr_t general; /* descriptor of A, B and C alike */
} add_task;

/* Arguments that the calls for values have in common, up to C's values. */
#define OPERANDS(t, type, one)                                                                     \
    (t)->result.handle, (t)->rows, (t)->cols, one, (t)->general, (t)->nnz_a,                       \
        (const type *)(t)->a.values, (const int *)(t)->a.offsets, (const int *)(t)->a.cols, one,   \
        (t)->general, (t)->nnz_b, (const type *)(t)->b.values, (const int *)(t)->b.offsets,        \
        (const int *)(t)->b.cols, (t)->general, (type *)(t)->result.values,                        \
        (int *)(t)->result.offsets, (int *)(t)->result.columns

static tulle_status ask(const add_task *t, size_t *bytes) {
    const float one_f32 = 1;
    const double one_f64 = 1;
    if (t->result.type == TULLE_F32) {
        CUSPARSE_TRY(cusparseScsrgeam2_bufferSizeExt, OPERANDS(t, float, &one_f32), bytes);
    } else {
        CUSPARSE_TRY(cusparseDcsrgeam2_bufferSizeExt, OPERANDS(t, double, &one_f64), bytes);
    }
    return TULLE_OK;
}

static tulle_status compute(const add_task *t, void *buffer) {
    const float one_f32 = 1;
    const double one_f64 = 1;
    if (t->result.type == TULLE_F32) {
        CUSPARSE_TRY(cusparseScsrgeam2, OPERANDS(t, float, &one_f32), buffer);
    } else {
        CUSPARSE_TRY(cusparseDcsrgeam2, OPERANDS(t, double, &one_f64), buffer);
    }
    return TULLE_OK;
}

static tulle_status count(const add_task *t, void *buffer, int *nnz) {
    CUSPARSE_TRY(cusparseXcsrgeam2Nnz, t->result.handle, t->rows, t->cols, t->general, t->nnz_a,
                 (const int *)t->a.offsets, (const int *)t->a.cols, t->general, t->nnz_b,
                 (const int *)t->b.offsets, (const int *)t->b.cols, t->general,
                 (int *)t->result.offsets, nnz, buffer);
    return TULLE_OK;
}

static tulle_status make(void *state, bool pooled) {
    add_task *t = state;
    size_t bytes = 0;
    void *buffer = NULL;
    int nnz = 0;
    t->result.memory.pooled = pooled;
    tulle_status status = cusparse_result_offsets(&t->result);
    if (status == TULLE_OK) status = ask(t, &bytes);
    if (status == TULLE_OK) status = cuda_memory_take(&t->result.memory, bytes, &buffer);
    if (status == TULLE_OK) status = count(t, buffer, &nnz);
    if (status == TULLE_OK) status = cusparse_result_entries(&t->result, nnz);
    return status == TULLE_OK ? compute(t, buffer) : status;
}

static void drop(void *state) {
    add_task *t = state;
    cusparse_result_drop(&t->result);
}

static void close_task(void *state) {
    add_task *t = state;
    cusparse_result_close(&t->result);
    if (t->general) cusparse.cusparseDestroyMatDescr(t->general);
    free(t);
}

static tulle_status open_operands(const trial_making *making, add_task *t) {
    tulle_status status = cusparse_result_open(making, making->a.rows, making->a.cols, &t->result);
    if (status == TULLE_OK) status = tulle_mat_view(making->A, &t->a);
    if (status == TULLE_OK) status = tulle_mat_view(making->B, &t->b);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateMatDescr, &t->general);
    return TULLE_OK;
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    (void)peer;
    tulle_status status = cusparse_takes(making);
    if (status != TULLE_OK) return status;
    add_task *t = tool_alloc(1, sizeof *t);
    *t = (add_task){.rows = (int)making->a.rows,
                    .cols = (int)making->a.cols,
                    .nnz_a = (int)making->a.nnz,
                    .nnz_b = (int)making->b.nnz};
    *task = (trial_task){.state = t};
    status = open_operands(making, t);
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

const bench_peer bench_peer_cusparse_csrgeam2 = {
    .name = "cusparse_csrgeam2",
    .library = "cusparse",
    .gpu = true,
    .op = "add",
    .maker = &maker,
    .available = cusparse_available,
};

#endif
