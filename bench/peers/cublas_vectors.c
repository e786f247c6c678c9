/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: dot, once for each column, with its result on the host or on the device; inner products
 * as a batch of products of matrices; and axpy, once for all columns. */
#ifdef TULLE_PEER_CUBLAS
#include "bench/peers.h"
#include "bench/peers/cublas_task.h"
#include "tools/common/error.h"

static tulle_status prepare(const bench_peer *peer, const bench_problem *problem,
                            bench_task *task) {
    (void)peer;
    return cublas_task_open(problem, problem->detail == BENCH_VECTORS_HOST, task);
}

static tulle_status dot_to(const cublas_task *t, int column, void *result) {
    CUBLAS_TRY_TYPED(t->type, dot_v2, t->handle, t->x.rows, cublas_at(t, &t->x, 0, column),
                     t->x.inc, cublas_at(t, &t->second, 0, column), t->second.inc, result);
    return TULLE_OK;
}

static tulle_status dot_to_host(const cublas_task *t, int column) {
    cublas_scalar result;
    tulle_status status = dot_to(t, column, &result);
    t->vectors->numbers[column] = t->type == TULLE_F32 ? (double)result.f32 : result.f64;
    return status;
}

static tulle_status run_dot(void *state) {
    const cublas_task *t = state;
    tulle_status status = TULLE_OK;
    for (int c = 0; c < t->x.cols && status == TULLE_OK; c++) {
        status = t->vectors->numbers ? dot_to_host(t, c) : dot_to(t, c, cublas_at(t, &t->y, c, 0));
    }
    return status;
}

/* Its scalars are on the host, its results on the device. */
static tulle_status prepare_batch(const bench_peer *peer, const bench_problem *problem,
                                  bench_task *task) {
    (void)peer;
    const bool by_row = bench_is_block(&problem->block) && problem->block.layout == TULLE_ROW_MAJOR;
    if (problem->detail == BENCH_VECTORS_HOST || by_row) {
        return tool_record(TULLE_UNSUPPORTED,
                           "cuBLAS's batches: of columns, with results on the device");
    }
    return cublas_task_open(problem, true, task);
}

static tulle_status run_batch(void *state) {
    const cublas_task *t = state;
    const int n = t->x.rows;
    CUBLAS_TRY_TYPED(t->type, gemmStridedBatched, t->handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, n,
                     (const void *)&t->one, (const void *)t->x.data, n, t->x.step,
                     (const void *)t->second.data, n, t->second.step, (const void *)&t->zero,
                     (void *)t->y.data, 1, 1, t->x.cols);
    return TULLE_OK;
}

/* The numbers lie without gaps. */
static tulle_status run_axpy(void *state) {
    const cublas_task *t = state;
    tulle_dense_info on_device;
    tulle_status status = tulle_dense_describe(t->vectors->factor, &on_device);
    if (status != TULLE_OK) return status;
    const void *factor = t->host ? (const void *)&t->factor : on_device.data;
    CUBLAS_TRY_TYPED(t->type, axpy_v2, t->handle, t->x.rows * t->x.cols, factor,
                     (const void *)t->x.data, 1, (void *)t->y.data, 1);
    return TULLE_OK;
}

#define PEER(algorithm_name, operation, preparing, running)                                        \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cublas",                                                                       \
        .gpu = true,                                                                               \
        .acts = operation,                                                                         \
        .available = cublas_available,                                                             \
        .prepare = preparing,                                                                      \
        .run = running,                                                                            \
        .close = cublas_task_close,                                                                \
    };

PEER(cublas_dot, "dot", prepare, run_dot)
PEER(cublas_dot_batched, "dot", prepare_batch, run_batch)
PEER(cublas_axpy, "axpy", prepare, run_axpy)

#endif
