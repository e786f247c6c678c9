/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: the algorithms of cusparseSpGEMM. ALG2 and ALG3 say how much memory they need; ALG3
 * computes a share of the products at a time. */
#ifdef TULLE_PEER_CUSPARSE
#include "lab/peers/cusparse_product.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

static const float chunk_fraction = 0.2f;

typedef struct spgemm_task {
    cusparse_product product; /* must be the first member */
    cusparseSpGEMMAlg_t algorithm;
} spgemm_task;

/* Arguments with which calls begin that differ only in their last ones. */
#define PRODUCT(t)                                                                                 \
    (t)->product.result.handle, cusparse_as_is, cusparse_as_is, &(t)->product.one, (t)->product.A, \
        (t)->product.B, &(t)->product.zero, (t)->product.C, (t)->product.result.data_type,         \
        (t)->algorithm, (t)->product.descriptor

static tulle_status estimate_work(spgemm_task *t) {
    size_t bytes = 0;
    void *buffer = NULL;
    CUSPARSE_TRY(cusparseSpGEMM_workEstimation, PRODUCT(t), &bytes, NULL);
    tulle_status status = cuda_memory_take(&t->product.result.memory, bytes, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMM_workEstimation, PRODUCT(t), &bytes, buffer);
    return TULLE_OK;
}

/* Finds the bytes of scratch that the products need. */
static tulle_status estimate_memory(spgemm_task *t, size_t *bytes) {
    if (t->algorithm == CUSPARSE_SPGEMM_ALG1) {
        CUSPARSE_TRY(cusparseSpGEMM_compute, PRODUCT(t), bytes, NULL);
        return TULLE_OK;
    }
    size_t to_estimate = 0;
    void *buffer = NULL;
    CUSPARSE_TRY(cusparseSpGEMM_estimateMemory, PRODUCT(t), chunk_fraction, &to_estimate, NULL,
                 NULL);
    tulle_status status = cuda_memory_take(&t->product.result.memory, to_estimate, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMM_estimateMemory, PRODUCT(t), chunk_fraction, &to_estimate, buffer,
                 bytes);
    return cuda_memory_return(&t->product.result.memory, buffer);
}

static tulle_status compute(spgemm_task *t) {
    size_t bytes = 0;
    void *buffer = NULL;
    tulle_status status = estimate_memory(t, &bytes);
    if (status == TULLE_OK) status = cuda_memory_take(&t->product.result.memory, bytes, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMM_compute, PRODUCT(t), &bytes, buffer);
    return TULLE_OK;
}

static tulle_status copy(spgemm_task *t) {
    tulle_status status = cusparse_product_entries(&t->product);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMM_copy, PRODUCT(t));
    return TULLE_OK;
}

static tulle_status make(void *state, bool pooled) {
    spgemm_task *t = state;
    t->product.result.memory.pooled = pooled;
    tulle_status status = cusparse_product_begin(&t->product);
    if (status == TULLE_OK) status = estimate_work(t);
    if (status == TULLE_OK) status = compute(t);
    return status == TULLE_OK ? copy(t) : status;
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    tulle_status status = cusparse_takes(making);
    if (status != TULLE_OK) return status;
    static const cusparseSpGEMMAlg_t algorithms[] = {CUSPARSE_SPGEMM_ALG1, CUSPARSE_SPGEMM_ALG2,
                                                     CUSPARSE_SPGEMM_ALG3};
    spgemm_task *t = tool_alloc(1, sizeof *t);
    *task = (trial_task){.state = t};
    t->algorithm = algorithms[peer->variant];
    status = cusparse_product_open(making, &t->product);
    if (status != TULLE_OK) cusparse_product_close(t);
    return status;
}

static const bench_peer_maker maker = {
    .capped = true,
    .open = open_task,
    .make = make,
    .drop = cusparse_product_drop,
    .take = cusparse_result_take,
    .peak = cusparse_result_peak,
    .close = cusparse_product_close,
};

#define PEER(algorithm_name, number)                                                               \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = number,                                                                         \
        .op = "spgemm",                                                                            \
        .maker = &maker,                                                                           \
        .available = cusparse_available,                                                           \
    };

PEER(cusparse_spgemm_alg1, 0)
PEER(cusparse_spgemm_alg2, 1)
PEER(cusparse_spgemm_alg3, 2)

#endif
