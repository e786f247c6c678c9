/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: products that can be made again with other values, cusparseSpGEMMreuse. The first
 * product makes all of C; an update computes the values of an existing C. */
#ifdef TULLE_PEER_CUSPARSE
#include <string.h>

#include "lab/peers/cusparse_product.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

static const cusparseSpGEMMAlg_t algorithm = CUSPARSE_SPGEMM_DEFAULT;

#define PATTERN(t)                                                                                 \
    (t)->result.handle, cusparse_as_is, cusparse_as_is, (t)->A, (t)->B, (t)->C, algorithm,         \
        (t)->descriptor

static tulle_status estimate(cusparse_product *t, void **buffer) {
    size_t bytes = 0;
    CUSPARSE_TRY(cusparseSpGEMMreuse_workEstimation, PATTERN(t), &bytes, NULL);
    tulle_status status = cuda_memory_take(&t->result.memory, bytes, buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMMreuse_workEstimation, PATTERN(t), &bytes, *buffer);
    return TULLE_OK;
}

/* Counts the entries of C. The first two buffers are of no use after this call; of the others, some
 * are needed until the copy, and some for ever. */
static tulle_status count(cusparse_product *t, void *first) {
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

static tulle_status copy(cusparse_product *t) {
    size_t bytes = 0;
    void *buffer = NULL;
    tulle_status status = cusparse_product_entries(t);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMMreuse_copy, PATTERN(t), &bytes, NULL);
    status = cuda_memory_take(&t->result.memory, bytes, &buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpGEMMreuse_copy, PATTERN(t), &bytes, buffer);
    return TULLE_OK;
}

static tulle_status compute(const cusparse_product *t) {
    CUSPARSE_TRY(cusparseSpGEMMreuse_compute, t->result.handle, cusparse_as_is, cusparse_as_is,
                 &t->one, t->A, t->B, &t->zero, t->C, t->result.data_type, algorithm,
                 t->descriptor);
    return TULLE_OK;
}

static tulle_status make(void *state, bool pooled) {
    cusparse_product *t = state;
    void *first = NULL;
    t->result.memory.pooled = pooled;
    tulle_status status = cusparse_product_begin(t);
    if (status == TULLE_OK) status = estimate(t, &first);
    if (status == TULLE_OK) status = count(t, first);
    if (status == TULLE_OK) status = copy(t);
    return status == TULLE_OK ? compute(t) : status;
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    tulle_status status = cusparse_takes(making);
    if (status != TULLE_OK) return status;
    cusparse_product *t = tool_alloc(1, sizeof *t);
    *task = (trial_task){.state = t};
    status = cusparse_product_open(making, t);
    bool renews = strcmp(peer->op, "update") == 0;
    if (status == TULLE_OK && renews) status = make(t, false);
    if (status != TULLE_OK) cusparse_product_close(t);
    return status;
}

static tulle_status update(void *state, bool pooled) {
    (void)pooled;
    return compute(state);
}

/* Drops nothing: C stays for the next update. */
static void keep(void *state) {
    (void)state;
}

static const bench_peer_maker first_product = {
    .capped = true,
    .open = open_task,
    .make = make,
    .drop = cusparse_product_drop,
    .take = cusparse_result_take,
    .peak = cusparse_result_peak,
    .close = cusparse_product_close,
};

static const bench_peer_maker later_products = {
    .capped = true,
    .open = open_task,
    .make = update,
    .drop = keep,
    .take = cusparse_result_take,
    .peak = cusparse_result_peak,
    .close = cusparse_product_close,
};

const bench_peer bench_peer_cusparse_reuse_first = {
    .name = "cusparse_reuse_first",
    .library = "cusparse",
    .gpu = true,
    .op = "spgemm",
    .maker = &first_product,
    .available = cusparse_available,
};

const bench_peer bench_peer_cusparse_reuse_update = {
    .name = "cusparse_reuse_update",
    .library = "cusparse",
    .gpu = true,
    .op = "update",
    .maker = &later_products,
    .available = cusparse_available,
};

#endif
