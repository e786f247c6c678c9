/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: X'Z and Y + X A for many multivectors, as one batch of gemms, as a gemm for each, and as
 * these on streams side by side. A multivector by rows is passed as the transpose of one by
 * columns. */
#ifdef TULLE_PEER_CUBLAS
#include <stdlib.h>

#include "lab/peers/cublas_batch.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

static cublas_product dot_of(const cublas_task *t, int count) {
    const int n = t->x.rows / count, k = t->x.cols;
    return t->by_row
               ? (cublas_product){CUBLAS_OP_N, CUBLAS_OP_T, k, k, n, &t->second, &t->x, &t->zero}
               : (cublas_product){CUBLAS_OP_T, CUBLAS_OP_N, k, k, n, &t->x, &t->second, &t->zero};
}

static cublas_product axpy_of(const cublas_task *t, int count) {
    const int n = t->x.rows / count, k = t->x.cols;
    return t->by_row
               ? (cublas_product){CUBLAS_OP_N, CUBLAS_OP_N, k, n, k, &t->second, &t->x, &t->one}
               : (cublas_product){CUBLAS_OP_N, CUBLAS_OP_N, n, k, k, &t->x, &t->second, &t->one};
}

static void close_batch(void *state) {
    cublas_batch *b = state;
    cublas_streams_close(b);
    cublas_task_close(b->task);
    free(b);
}

static tulle_status open_batch(const trial_problem *p,
                               cublas_product (*of)(const cublas_task *t, int count), int streams,
                               trial_task *task) {
    cublas_batch *b = tool_alloc(1, sizeof *b);
    tulle_status status = cublas_task_open(p, true, task);
    if (status != TULLE_OK) {
        free(b);
        return status;
    }
    *b = (cublas_batch){.task = task->state, .count = (int)p->count};
    b->one = of(b->task, b->count);
    task->state = b;
    status = cublas_streams_open(b, streams < b->count ? streams : b->count);
    if (status != TULLE_OK) close_batch(b);
    return status;
}

static tulle_status prepare_dot(const bench_peer *peer, const trial_problem *p, trial_task *task) {
    return open_batch(p, dot_of, peer->variant, task);
}

static tulle_status prepare_axpy(const bench_peer *peer, const trial_problem *p, trial_task *task) {
    return open_batch(p, axpy_of, peer->variant, task);
}

/* Returns the distance, in numbers, between the operands of neighbouring problems. */
static int64_t step_of(const cublas_batch *b, const cublas_operand *o) {
    return (int64_t)(o->rows / b->count) * o->inc;
}

static tulle_status run_strided(void *state) {
    const cublas_batch *b = state;
    const cublas_task *t = b->task;
    const cublas_product *p = &b->one;
    CUBLAS_TRY_TYPED(t->type, gemmStridedBatched, t->handle, p->op_a, p->op_b, p->m, p->n, p->inner,
                     (const void *)&t->one, (const void *)p->a->data, p->a->ld, step_of(b, p->a),
                     (const void *)p->b->data, p->b->ld, step_of(b, p->b), (const void *)p->beta,
                     (void *)t->y.data, t->y.ld, step_of(b, &t->y), b->count);
    return TULLE_OK;
}

static void *data_of(const cublas_batch *b, const cublas_operand *o, int i) {
    return o->data + i * step_of(b, o) * tulle_type_size(b->task->type);
}

tulle_status cublas_batch_call(const cublas_batch *b, cublasHandle_t handle, int i) {
    const cublas_task *t = b->task;
    const cublas_product *p = &b->one;
    CUBLAS_TRY_TYPED(t->type, gemm_v2, handle, p->op_a, p->op_b, p->m, p->n, p->inner,
                     (const void *)&t->one, (const void *)data_of(b, p->a, i), p->a->ld,
                     (const void *)data_of(b, p->b, i), p->b->ld, (const void *)p->beta,
                     data_of(b, &t->y, i), t->y.ld);
    return TULLE_OK;
}

static tulle_status run_each(void *state) {
    const cublas_batch *b = state;
    tulle_status status = TULLE_OK;
    for (int i = 0; i < b->count && status == TULLE_OK; i++) {
        status = cublas_batch_call(b, b->task->handle, i);
    }
    return status;
}

#define PEER(algorithm_name, operation, streams, preparing, running)                               \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cublas",                                                                       \
        .gpu = true,                                                                               \
        .variant = streams,                                                                        \
        .op = operation,                                                                           \
        .available = cublas_available,                                                             \
        .prepare = preparing,                                                                      \
        .run = running,                                                                            \
        .close = close_batch,                                                                      \
    };

PEER(cublas_batch_dot_strided, "batch_dot", 0, prepare_dot, run_strided)
PEER(cublas_batch_dot_each, "batch_dot", 0, prepare_dot, run_each)
PEER(cublas_batch_dot_streams_8, "batch_dot", 8, prepare_dot, cublas_streams_run)
PEER(cublas_batch_dot_streams_32, "batch_dot", 32, prepare_dot, cublas_streams_run)
PEER(cublas_batch_axpy_strided, "batch_axpy", 0, prepare_axpy, run_strided)
PEER(cublas_batch_axpy_each, "batch_axpy", 0, prepare_axpy, run_each)
PEER(cublas_batch_axpy_streams_8, "batch_axpy", 8, prepare_axpy, cublas_streams_run)
PEER(cublas_batch_axpy_streams_32, "batch_axpy", 32, prepare_axpy, cublas_streams_run)

#endif
