/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: X'Z and Y + X A for many multivectors, as one batch of gemms and as a gemm for each. What
 * lies by rows is the transpose of what lies by columns. */
#ifdef TULLE_PEER_CUBLAS
#include <stdlib.h>

#include "bench/batch.h"
#include "bench/peers.h"
#include "bench/peers/cublas_task.h"
#include "tools/common/error.h"

/* One of the small problems' product, C := op(A) op(B) + beta C by columns, C m x n. */
typedef struct product {
    cublasOperation_t op_a, op_b;
    int m, n, inner;
    const cublas_operand *a, *b;
    const cublas_scalar *beta;
} product;

typedef struct batch_task {
    cublas_task *task; /* of all problems as if they were one */
    int count;
    product one;
} batch_task;

static product dot_of(const cublas_task *t, int count) {
    const int n = t->x.rows / count, k = t->x.cols;
    return t->by_row ? (product){CUBLAS_OP_N, CUBLAS_OP_T, k, k, n, &t->second, &t->x, &t->zero}
                     : (product){CUBLAS_OP_T, CUBLAS_OP_N, k, k, n, &t->x, &t->second, &t->zero};
}

static product axpy_of(const cublas_task *t, int count) {
    const int n = t->x.rows / count, k = t->x.cols;
    return t->by_row ? (product){CUBLAS_OP_N, CUBLAS_OP_N, k, n, k, &t->second, &t->x, &t->one}
                     : (product){CUBLAS_OP_N, CUBLAS_OP_N, n, k, k, &t->x, &t->second, &t->one};
}

static tulle_status open_batch(const bench_problem *p,
                               product (*of)(const cublas_task *t, int count), bench_task *task) {
    batch_task *b = tool_alloc(1, sizeof *b);
    tulle_status status = cublas_task_open(p, true, task);
    if (status != TULLE_OK) {
        free(b);
        return status;
    }
    b->task = task->state;
    b->count = (int)p->count;
    b->one = of(b->task, b->count);
    task->state = b;
    return TULLE_OK;
}

static tulle_status prepare_dot(const bench_peer *peer, const bench_problem *p, bench_task *task) {
    (void)peer;
    return open_batch(p, dot_of, task);
}

static tulle_status prepare_axpy(const bench_peer *peer, const bench_problem *p, bench_task *task) {
    (void)peer;
    return open_batch(p, axpy_of, task);
}

/* Numbers between the operands of neighbours. */
static int64_t step_of(const batch_task *b, const cublas_operand *o) {
    return (int64_t)(o->rows / b->count) * o->inc;
}

static tulle_status run_strided(void *state) {
    const batch_task *b = state;
    const cublas_task *t = b->task;
    const product *p = &b->one;
    CUBLAS_TRY_TYPED(t->type, gemmStridedBatched, t->handle, p->op_a, p->op_b, p->m, p->n, p->inner,
                     (const void *)&t->one, (const void *)p->a->data, p->a->ld, step_of(b, p->a),
                     (const void *)p->b->data, p->b->ld, step_of(b, p->b), (const void *)p->beta,
                     (void *)t->y.data, t->y.ld, step_of(b, &t->y), b->count);
    return TULLE_OK;
}

static void *data_of(const batch_task *b, const cublas_operand *o, int i) {
    return o->data + i * step_of(b, o) * tulle_type_size(b->task->type);
}

static tulle_status run_each(void *state) {
    const batch_task *b = state;
    const cublas_task *t = b->task;
    const product *p = &b->one;
    for (int i = 0; i < b->count; i++) {
        CUBLAS_TRY_TYPED(t->type, gemm_v2, t->handle, p->op_a, p->op_b, p->m, p->n, p->inner,
                         (const void *)&t->one, (const void *)data_of(b, p->a, i), p->a->ld,
                         (const void *)data_of(b, p->b, i), p->b->ld, (const void *)p->beta,
                         data_of(b, &t->y, i), t->y.ld);
    }
    return TULLE_OK;
}

static void close_batch(void *state) {
    batch_task *b = state;
    cublas_task_close(b->task);
    free(b);
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
        .close = close_batch,                                                                      \
    };

PEER(cublas_batch_dot_strided, "batch_dot", prepare_dot, run_strided)
PEER(cublas_batch_dot_each, "batch_dot", prepare_dot, run_each)
PEER(cublas_batch_axpy_strided, "batch_axpy", prepare_axpy, run_strided)
PEER(cublas_batch_axpy_each, "batch_axpy", prepare_axpy, run_each)

#endif
