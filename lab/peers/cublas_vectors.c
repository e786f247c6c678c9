/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: dot and nrm2, once for each column, with results on the host or on the device; inner
 * products as a batch of products of matrices; amax; axpy, scal and copy, once for all columns; and
 * geam and dgmm, used as operations on vectors. */
#ifdef TULLE_PEER_CUBLAS
#include "lab/peers/cublas_task.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    (void)peer;
    return cublas_task_open(problem, problem->detail == TRIAL_VECTORS_HOST, task);
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

/* Prepares the batch, whose scalars are on the host and whose results are on the device. */
static tulle_status prepare_batch(const bench_peer *peer, const trial_problem *problem,
                                  trial_task *task) {
    (void)peer;
    const bool by_row = trial_is_block(&problem->block) && problem->block.layout == TULLE_ROW_MAJOR;
    if (problem->detail == TRIAL_VECTORS_HOST || by_row) {
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

static tulle_status nrm2_to(const cublas_task *t, int column, int row, int n, void *result) {
    CUBLAS_TRY_TYPED(t->type, nrm2_v2, t->handle, n, cublas_at(t, &t->x, row, column), t->x.inc,
                     result);
    return TULLE_OK;
}

static tulle_status nrm2_to_host(const cublas_task *t, int column, int row, int n) {
    cublas_scalar result;
    tulle_status status = nrm2_to(t, column, row, n, &result);
    t->vectors->numbers[column] = t->type == TULLE_F32 ? (double)result.f32 : result.f64;
    return status;
}

static tulle_status run_nrm2(void *state) {
    const cublas_task *t = state;
    const int n = t->x.rows;
    tulle_status status = TULLE_OK;
    for (int c = 0; c < t->x.cols && status == TULLE_OK; c++) {
        status = t->vectors->numbers ? nrm2_to_host(t, c, 0, n)
                                     : nrm2_to(t, c, 0, n, cublas_at(t, &t->y, c, 0));
    }
    return status;
}

/* Prepares amax, which returns the position of the largest number: its user has to read the number
 * there. */
static tulle_status prepare_amax(const bench_peer *peer, const trial_problem *problem,
                                 trial_task *task) {
    (void)peer;
    if (problem->detail == TRIAL_VECTORS_HOST) return cublas_task_open(problem, true, task);
    return tool_record(TULLE_UNSUPPORTED, "cuBLAS's amax gives a place, which the host looks up");
}

static tulle_status amax_to_host(const cublas_task *t, int column) {
    int from_one = 0;
    const void *x = cublas_at(t, &t->x, 0, column);
    cublasStatus_t status =
        t->type == TULLE_F32 ? cublas.cublasIsamax_v2(t->handle, t->x.rows, x, t->x.inc, &from_one)
                             : cublas.cublasIdamax_v2(t->handle, t->x.rows, x, t->x.inc, &from_one);
    tulle_status found = cublas_status(status, "amax_v2");
    return found == TULLE_OK ? nrm2_to_host(t, column, from_one - 1, 1) : found;
}

static tulle_status run_amax(void *state) {
    const cublas_task *t = state;
    tulle_status status = TULLE_OK;
    for (int c = 0; c < t->x.cols && status == TULLE_OK; c++) status = amax_to_host(t, c);
    return status;
}

/* Returns the count of numbers of a multivector whose numbers lie without gaps. */
static int count_of(const cublas_operand *o) {
    return o->rows * o->cols;
}

static tulle_status factor_of(const cublas_task *t, const void **factor) {
    tulle_vec_info on_device;
    tulle_status status = tulle_vec_describe(t->vectors->factor, &on_device);
    if (status == TULLE_OK) *factor = t->host ? (const void *)&t->factor : on_device.data;
    return status;
}

static tulle_status run_axpy(void *state) {
    const cublas_task *t = state;
    const void *factor = NULL;
    tulle_status status = factor_of(t, &factor);
    if (status != TULLE_OK) return status;
    CUBLAS_TRY_TYPED(t->type, axpy_v2, t->handle, count_of(&t->y), factor, (const void *)t->x.data,
                     1, (void *)t->y.data, 1);
    return TULLE_OK;
}

/* Runs geam in place, as its manual allows where neither operand is transposed. */
static tulle_status run_axpby(void *state) {
    const cublas_task *t = state;
    const int n = count_of(&t->y);
    const void *factor = NULL;
    tulle_status status = factor_of(t, &factor);
    if (status != TULLE_OK) return status;
    CUBLAS_TRY_TYPED(t->type, geam, t->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, 1, factor,
                     (const void *)t->x.data, n, factor, (const void *)t->y.data, n,
                     (void *)t->y.data, n);
    return TULLE_OK;
}

static tulle_status run_scal(void *state) {
    const cublas_task *t = state;
    const void *factor = NULL;
    tulle_status status = factor_of(t, &factor);
    if (status != TULLE_OK) return status;
    CUBLAS_TRY_TYPED(t->type, scal_v2, t->handle, count_of(&t->y), factor, (void *)t->y.data, 1);
    return TULLE_OK;
}

/* Prepares an operation that has no scalars. */
static tulle_status prepare_plain(const bench_peer *peer, const trial_problem *problem,
                                  trial_task *task) {
    (void)peer;
    return cublas_task_open(problem, true, task);
}

static tulle_status run_copy(void *state) {
    const cublas_task *t = state;
    CUBLAS_TRY_TYPED(t->type, copy_v2, t->handle, count_of(&t->y), (const void *)t->x.data, 1,
                     (void *)t->y.data, 1);
    return TULLE_OK;
}

/* Computes diag(z) x, where x is a matrix of one column. */
static tulle_status run_multiply(void *state) {
    const cublas_task *t = state;
    const int n = count_of(&t->y);
    CUBLAS_TRY_TYPED(t->type, dgmm, t->handle, CUBLAS_SIDE_LEFT, n, 1, (const void *)t->x.data, n,
                     (const void *)t->second.data, 1, (void *)t->y.data, n);
    return TULLE_OK;
}

#define PEER(algorithm_name, operation, preparing, running)                                        \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cublas",                                                                       \
        .gpu = true,                                                                               \
        .op = operation,                                                                           \
        .available = cublas_available,                                                             \
        .prepare = preparing,                                                                      \
        .run = running,                                                                            \
        .close = cublas_task_close,                                                                \
    };

PEER(cublas_dot, "dot", prepare, run_dot)
PEER(cublas_dot_batched, "dot", prepare_batch, run_batch)
PEER(cublas_axpy, "axpy", prepare, run_axpy)
PEER(cublas_axpby_geam, "axpby", prepare, run_axpby)
PEER(cublas_scal, "scale", prepare, run_scal)
PEER(cublas_copy, "copy", prepare_plain, run_copy)
PEER(cublas_multiply_dgmm, "multiply", prepare_plain, run_multiply)
PEER(cublas_nrm2, "norm2", prepare, run_nrm2)
PEER(cublas_amax, "norm_max", prepare_amax, run_amax)

#endif
