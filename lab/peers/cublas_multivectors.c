/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: X'Z and Y + X A as one gemm, as a gemv for each column, and as a dot or an axpy for
 * each number of the small matrix. A multivector by rows is passed as the transpose of one by
 * columns. */
#ifdef TULLE_PEER_CUBLAS
#include "lab/peers/cublas_task.h"
#include "lab/peers/peers.h"

enum { SCALARS_ON_DEVICE, SCALARS_ON_HOST };

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    return cublas_task_open(problem, peer->variant == SCALARS_ON_HOST, task);
}

/* Starts C := op(A) op(B) + beta C, by columns, with C of m x n. */
static tulle_status gemm(const cublas_task *t, cublasOperation_t op_a, cublasOperation_t op_b,
                         int m, int n, int inner, const cublas_operand *a, const cublas_operand *b,
                         const cublas_scalar *beta) {
    CUBLAS_TRY_TYPED(t->type, gemm_v2, t->handle, op_a, op_b, m, n, inner, (const void *)&t->one,
                     (const void *)a->data, a->ld, (const void *)b->data, b->ld, (const void *)beta,
                     (void *)t->y.data, t->y.ld);
    return TULLE_OK;
}

/* Computes R' = Z'X for multivectors by rows. */
static tulle_status run_dot_gemm(void *state) {
    const cublas_task *t = state;
    const int n = t->x.rows, k = t->x.cols;
    return t->by_row ? gemm(t, CUBLAS_OP_N, CUBLAS_OP_T, k, k, n, &t->second, &t->x, &t->zero)
                     : gemm(t, CUBLAS_OP_T, CUBLAS_OP_N, k, k, n, &t->x, &t->second, &t->zero);
}

/* Computes Y' + A'X' for multivectors by rows. */
static tulle_status run_axpy_gemm(void *state) {
    const cublas_task *t = state;
    const int n = t->x.rows, k = t->x.cols;
    return t->by_row ? gemm(t, CUBLAS_OP_N, CUBLAS_OP_N, k, n, k, &t->second, &t->x, &t->one)
                     : gemm(t, CUBLAS_OP_N, CUBLAS_OP_N, n, k, k, &t->x, &t->second, &t->one);
}

/* Computes column c of y: op(X) times column c of the second operand, plus beta times column c of
 * y. */
static tulle_status gemv(const cublas_task *t, bool transposed, int c, const cublas_scalar *beta) {
    const bool turned = transposed != t->by_row;
    CUBLAS_TRY_TYPED(t->type, gemv_v2, t->handle, turned ? CUBLAS_OP_T : CUBLAS_OP_N,
                     t->by_row ? t->x.cols : t->x.rows, t->by_row ? t->x.rows : t->x.cols,
                     (const void *)&t->one, (const void *)t->x.data, t->x.ld,
                     cublas_at(t, &t->second, 0, c), t->second.inc, (const void *)beta,
                     cublas_at(t, &t->y, 0, c), t->y.inc);
    return TULLE_OK;
}

static tulle_status run_dot_gemv(void *state) {
    const cublas_task *t = state;
    tulle_status status = TULLE_OK;
    for (int c = 0; c < t->y.cols && status == TULLE_OK; c++) status = gemv(t, true, c, &t->zero);
    return status;
}

static tulle_status run_axpy_gemv(void *state) {
    const cublas_task *t = state;
    tulle_status status = TULLE_OK;
    for (int c = 0; c < t->y.cols && status == TULLE_OK; c++) status = gemv(t, false, c, &t->one);
    return status;
}

static tulle_status dot(const cublas_task *t, int r, int c) {
    CUBLAS_TRY_TYPED(t->type, dot_v2, t->handle, t->x.rows, cublas_at(t, &t->x, 0, r), t->x.inc,
                     cublas_at(t, &t->second, 0, c), t->second.inc, cublas_at(t, &t->y, r, c));
    return TULLE_OK;
}

static tulle_status axpy(const cublas_task *t, int r, int c) {
    CUBLAS_TRY_TYPED(t->type, axpy_v2, t->handle, t->x.rows, cublas_at(t, &t->second, r, c),
                     cublas_at(t, &t->x, 0, r), t->x.inc, cublas_at(t, &t->y, 0, c), t->y.inc);
    return TULLE_OK;
}

/* Calls a function once for each number of the small matrix. */
static tulle_status run_each(const cublas_task *t,
                             tulle_status (*one)(const cublas_task *t, int r, int c)) {
    const int k = t->x.cols;
    tulle_status status = TULLE_OK;
    for (int i = 0; i < k * k && status == TULLE_OK; i++) status = one(t, i % k, i / k);
    return status;
}

static tulle_status run_dots(void *state) {
    return run_each(state, dot);
}

static tulle_status run_axpys(void *state) {
    return run_each(state, axpy);
}

#define PEER(algorithm_name, operation, scalars, running)                                          \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cublas",                                                                       \
        .gpu = true,                                                                               \
        .variant = scalars,                                                                        \
        .op = operation,                                                                           \
        .available = cublas_available,                                                             \
        .prepare = prepare,                                                                        \
        .run = running,                                                                            \
        .close = cublas_task_close,                                                                \
    };

PEER(cublas_multivector_dot_gemm, "multivector_dot", SCALARS_ON_HOST, run_dot_gemm)
PEER(cublas_multivector_dot_gemv, "multivector_dot", SCALARS_ON_HOST, run_dot_gemv)
PEER(cublas_multivector_dot_dots, "multivector_dot", SCALARS_ON_DEVICE, run_dots)
PEER(cublas_multivector_axpy_gemm, "multivector_axpy", SCALARS_ON_HOST, run_axpy_gemm)
PEER(cublas_multivector_axpy_gemv, "multivector_axpy", SCALARS_ON_HOST, run_axpy_gemv)
PEER(cublas_multivector_axpy_axpys, "multivector_axpy", SCALARS_ON_DEVICE, run_axpys)

#endif
