/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: products that can be made again with other values, cusparseSpGEMMreuse. The first
 * product makes all of C; an update computes the values of a C that is there. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>
#include <string.h>

#include "bench/peers.h"
#include "bench/peers/cusparse_result.h"
#include "tools/common/error.h"

static const cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
static const cusparseSpGEMMAlg_t algorithm = CUSPARSE_SPGEMM_DEFAULT;

typedef struct reuse_task {
    cusparseHandle_t handle;
    cusparseConstSpMatDescr_t A, B;
    cusparseSpMatDescr_t C;
    cusparseSpGEMMDescr_t product;
    cusparse_result result;
    cudaDataType type;
    cusparse_scalar one, zero;
} reuse_task;

#define PATTERN(t) (t)->handle, as_is, as_is, (t)->A, (t)->B, (t)->C, algorithm, (t)->product

static tulle_status begin(reuse_task *t) {
    cusparse_result *c = &t->result;
    tulle_status status = cusparse_result_offsets(c);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateCsr, &t->C, c->rows, c->cols, 0, c->offsets, NULL, NULL,
                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, t->type);
    CUSPARSE_TRY(cusparseSpGEMM_createDescr, &t->product);
    return TULLE_OK;
}

static tulle_status estimate(reuse_task *t, void **buffer) {
    size_t bytes = 0;
    CUSPARSE_TRY(cusparseSpGEMMreuse_workEstimation, PATTERN(t), &bytes, NULL);
    tulle_status status = cuda_memory_take(&t->result.memory, bytes, buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMMreuse_workEstimation, PATTERN(t), &bytes, *buffer);
    return TULLE_OK;
}

/* The first two buffers are of no use after it; the others are until the copy, and for ever. */
static tulle_status count(reuse_task *t, void *first) {
    cuda_memory *memory = &t->result.memory;
    size_t bytes[3] = {0, 0, 0};
    void *buffer[3] = {NULL, NULL, NULL};
    CUSPARSE_TRY(cusparseSpGEMMreuse_nnz, PATTERN(t), &bytes[0], NULL, &bytes[1], NULL, &bytes[2],
                 NULL);
    tulle_status status = TULLE_OK;
    for (int i = 0; i < 3 && status == TULLE_OK; i++) {
        status = cuda_memory_take(memory, bytes[i], &buffer[i]);
    }
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMMreuse_nnz, PATTERN(t), &bytes[0], buffer[0], &bytes[1], buffer[1],
                 &bytes[2], buffer[2]);
    status = cuda_memory_return(memory, first);
    return status == TULLE_OK ? cuda_memory_return(memory, buffer[0]) : status;
}

static tulle_status copy(reuse_task *t) {
    cusparse_result *c = &t->result;
    int64_t rows = 0, cols = 0, nnz = 0;
    size_t bytes = 0;
    void *buffer = NULL;
    CUSPARSE_TRY(cusparseSpMatGetSize, t->C, &rows, &cols, &nnz);
    tulle_status status = cusparse_result_entries(c, nnz);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCsrSetPointers, t->C, c->offsets, c->columns, c->values);
    CUSPARSE_TRY(cusparseSpGEMMreuse_copy, PATTERN(t), &bytes, NULL);
    status = cuda_memory_take(&c->memory, bytes, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMMreuse_copy, PATTERN(t), &bytes, buffer);
    return TULLE_OK;
}

static tulle_status compute(const reuse_task *t) {
    CUSPARSE_TRY(cusparseSpGEMMreuse_compute, t->handle, as_is, as_is, &t->one, t->A, t->B,
                 &t->zero, t->C, t->type, algorithm, t->product);
    return TULLE_OK;
}

static tulle_status make(void *state, bool pooled) {
    reuse_task *t = state;
    void *first = NULL;
    t->result.memory.pooled = pooled;
    tulle_status status = begin(t);
    if (status == TULLE_OK) status = estimate(t, &first);
    if (status == TULLE_OK) status = count(t, first);
    if (status == TULLE_OK) status = copy(t);
    return status == TULLE_OK ? compute(t) : status;
}

static void drop(void *state) {
    reuse_task *t = state;
    if (t->product) cusparse.cusparseSpGEMM_destroyDescr(t->product);
    if (t->C) cusparse.cusparseDestroySpMat(t->C);
    t->product = NULL;
    t->C = NULL;
    cusparse_result_drop(&t->result);
}

static void close_task(void *state) {
    reuse_task *t = state;
    (void)tulle_ctx_synchronize(t->result.ctx);
    drop(t);
    if (t->B) cusparse.cusparseDestroySpMat(t->B);
    if (t->A) cusparse.cusparseDestroySpMat(t->A);
    if (t->handle) cusparse.cusparseDestroy(t->handle);
    cusparse_result_close(&t->result);
    free(t);
}

static tulle_status open_task(const bench_peer *peer, const bench_making *making,
                              bench_peer_task *task) {
    tulle_status status = cusparse_takes(making);
    if (status != TULLE_OK) return status;
    reuse_task *t = tool_alloc(1, sizeof *t);
    *t = (reuse_task){.type = cusparse_type(making->a.type),
                      .one = cusparse_number(making->a.type, 1),
                      .zero = cusparse_number(making->a.type, 0)};
    *task = (bench_peer_task){.state = t};
    status = cusparse_result_open(making, making->a.rows, making->b.cols, &t->result);
    if (status == TULLE_OK) status = cusparse_open(making->ctx, &t->handle);
    if (status == TULLE_OK) status = cusparse_describe_csr(making->A, &t->A);
    if (status == TULLE_OK) status = cusparse_describe_csr(making->B, &t->B);
    bool renews = strcmp(peer->maker->op, "update") == 0;
    if (status == TULLE_OK && renews) status = make(t, false);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status update(void *state, bool pooled) {
    (void)pooled;
    return compute(state);
}

/* C stays for the next update. */
static void keep(void *state) {
    (void)state;
}

static tulle_status take(void *state, tulle_mat **C) {
    const reuse_task *t = state;
    return cusparse_result_matrix(&t->result, C);
}

static int64_t peak(const void *state) {
    const reuse_task *t = state;
    return t->result.memory.peak;
}

static const bench_peer_maker first_product = {
    .op = "spgemm",
    .capped = true,
    .open = open_task,
    .make = make,
    .drop = drop,
    .take = take,
    .peak = peak,
    .close = close_task,
};

static const bench_peer_maker later_products = {
    .op = "update",
    .capped = true,
    .open = open_task,
    .make = update,
    .drop = keep,
    .take = take,
    .peak = peak,
    .close = close_task,
};

const bench_peer bench_peer_cusparse_reuse_first = {
    .name = "cusparse_reuse_first",
    .library = "cusparse",
    .gpu = true,
    .maker = &first_product,
    .available = cusparse_available,
};

const bench_peer bench_peer_cusparse_reuse_update = {
    .name = "cusparse_reuse_update",
    .library = "cusparse",
    .gpu = true,
    .maker = &later_products,
    .available = cusparse_available,
};

#endif
