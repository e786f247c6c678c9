/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: the algorithms of cusparseSpGEMM. ALG2 and ALG3 ask how much memory they need, ALG3 for
 * a share of the products at a time. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "bench/peers.h"
#include "bench/peers/cusparse_result.h"
#include "tools/common/error.h"

static const float chunk_fraction = 0.2f;
static const cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

typedef struct spgemm_task {
    cusparseHandle_t handle;
    cusparseConstSpMatDescr_t A, B;
    cusparseSpMatDescr_t C;
    cusparseSpGEMMDescr_t product;
    cusparseSpGEMMAlg_t algorithm;
    cusparse_result result;
    cudaDataType type;
    cusparse_scalar one, zero;
} spgemm_task;

/* What the calls that only differ in their last arguments begin with. */
#define PRODUCT(t)                                                                                 \
    (t)->handle, as_is, as_is, &(t)->one, (t)->A, (t)->B, &(t)->zero, (t)->C, (t)->type,           \
        (t)->algorithm, (t)->product

static tulle_status begin(spgemm_task *t) {
    cusparse_result *c = &t->result;
    tulle_status status = cusparse_result_offsets(c);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateCsr, &t->C, c->rows, c->cols, 0, c->offsets, NULL, NULL,
                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, t->type);
    CUSPARSE_TRY(cusparseSpGEMM_createDescr, &t->product);
    return TULLE_OK;
}

static tulle_status estimate_work(spgemm_task *t) {
    size_t bytes = 0;
    void *buffer = NULL;
    CUSPARSE_TRY(cusparseSpGEMM_workEstimation, PRODUCT(t), &bytes, NULL);
    tulle_status status = cuda_memory_take(&t->result.memory, bytes, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMM_workEstimation, PRODUCT(t), &bytes, buffer);
    return TULLE_OK;
}

/* How much scratch the products need. */
static tulle_status estimate_memory(spgemm_task *t, size_t *bytes) {
    if (t->algorithm == CUSPARSE_SPGEMM_ALG1) {
        CUSPARSE_TRY(cusparseSpGEMM_compute, PRODUCT(t), bytes, NULL);
        return TULLE_OK;
    }
    size_t to_estimate = 0;
    void *buffer = NULL;
    CUSPARSE_TRY(cusparseSpGEMM_estimateMemory, PRODUCT(t), chunk_fraction, &to_estimate, NULL,
                 NULL);
    tulle_status status = cuda_memory_take(&t->result.memory, to_estimate, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMM_estimateMemory, PRODUCT(t), chunk_fraction, &to_estimate, buffer,
                 bytes);
    return cuda_memory_return(&t->result.memory, buffer);
}

static tulle_status compute(spgemm_task *t) {
    size_t bytes = 0;
    void *buffer = NULL;
    tulle_status status = estimate_memory(t, &bytes);
    if (status == TULLE_OK) status = cuda_memory_take(&t->result.memory, bytes, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMM_compute, PRODUCT(t), &bytes, buffer);
    return TULLE_OK;
}

static tulle_status copy(spgemm_task *t) {
    int64_t rows = 0, cols = 0, nnz = 0;
    CUSPARSE_TRY(cusparseSpMatGetSize, t->C, &rows, &cols, &nnz);
    cusparse_result *c = &t->result;
    tulle_status status = cusparse_result_entries(c, nnz);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCsrSetPointers, t->C, c->offsets, c->columns, c->values);
    CUSPARSE_TRY(cusparseSpGEMM_copy, PRODUCT(t));
    return TULLE_OK;
}

static tulle_status make(void *state, bool pooled) {
    spgemm_task *t = state;
    t->result.memory.pooled = pooled;
    tulle_status status = begin(t);
    if (status == TULLE_OK) status = estimate_work(t);
    if (status == TULLE_OK) status = compute(t);
    return status == TULLE_OK ? copy(t) : status;
}

static void drop(void *state) {
    spgemm_task *t = state;
    if (t->product) cusparse.cusparseSpGEMM_destroyDescr(t->product);
    if (t->C) cusparse.cusparseDestroySpMat(t->C);
    t->product = NULL;
    t->C = NULL;
    cusparse_result_drop(&t->result);
}

static void close_task(void *state) {
    spgemm_task *t = state;
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
    static const cusparseSpGEMMAlg_t algorithms[] = {CUSPARSE_SPGEMM_ALG1, CUSPARSE_SPGEMM_ALG2,
                                                     CUSPARSE_SPGEMM_ALG3};
    spgemm_task *t = tool_alloc(1, sizeof *t);
    *t = (spgemm_task){.algorithm = algorithms[peer->variant],
                       .type = cusparse_type(making->a.type),
                       .one = cusparse_number(making->a.type, 1),
                       .zero = cusparse_number(making->a.type, 0)};
    *task = (bench_peer_task){.state = t};
    status = cusparse_result_open(making, making->a.rows, making->b.cols, &t->result);
    if (status == TULLE_OK) status = cusparse_open(making->ctx, &t->handle);
    if (status == TULLE_OK) status = cusparse_describe_csr(making->A, &t->A);
    if (status == TULLE_OK) status = cusparse_describe_csr(making->B, &t->B);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status take(void *state, tulle_mat **C) {
    const spgemm_task *t = state;
    return cusparse_result_matrix(&t->result, C);
}

static int64_t peak(const void *state) {
    const spgemm_task *t = state;
    return t->result.memory.peak;
}

static const bench_peer_maker maker = {
    .op = "spgemm",
    .capped = true,
    .open = open_task,
    .make = make,
    .drop = drop,
    .take = take,
    .peak = peak,
    .close = close_task,
};

#define PEER(algorithm_name, number)                                                               \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = number,                                                                         \
        .maker = &maker,                                                                           \
        .available = cusparse_available,                                                           \
    };

PEER(cusparse_spgemm_alg1, 0)
PEER(cusparse_spgemm_alg2, 1)
PEER(cusparse_spgemm_alg3, 2)

#endif
