/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: P A = L U of many dense matrices, and solutions with the factors, by arrays of addresses.
 * As in tulle's own functions, factors are made of a copy of A; solutions are made in place, so B
 * is copied, too. */
#ifdef TULLE_PEER_CUBLAS
#include <stdlib.h>

#include "lab/peers/cublas_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"
#include "trials/uniform_dense.h"

typedef struct dense_task {
    const trial_problem *problem;
    const trial_dense *dense;
    cublasHandle_t handle;
    tulle_vec *scratch;
    /* addresses of the matrices, and of the right-hand sides; a word for each matrix; pivots as
     * rows that count from 1 */
    tulle_vec *matrices, *sides, *info, *pivots;
} dense_task;

static void close_task(void *state) {
    dense_task *t = state;
    (void)tulle_ctx_synchronize(t->problem->ctx);
    if (t->handle) cublas.cublasDestroy_v2(t->handle);
    tulle_vec_destroy(t->scratch);
    tulle_vec_destroy(t->matrices);
    tulle_vec_destroy(t->sides);
    tulle_vec_destroy(t->info);
    tulle_vec_destroy(t->pivots);
    free(t);
}

static void *data_of(const tulle_vec *X) {
    tulle_vec_info info = {0};
    (void)tulle_vec_describe(X, &info); /* describing fails for NULL alone */
    return info.data;
}

/* Makes a vector in the context's memory with the address of each column, as numbers of 64 bits. */
static tulle_status take_addresses(const dense_task *t, const tulle_vec *X, tulle_vec **made) {
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(X, &info);
    if (status == TULLE_OK) {
        status = tulle_vec_create(t->problem->ctx, TULLE_F64, info.cols, made);
    }
    if (status != TULLE_OK) return status;
    void **column = tool_alloc((size_t)info.cols, sizeof *column);
    for (int64_t s = 0; s < info.cols; s++) {
        column[s] = (char *)info.data + s * info.ld * tulle_type_size(info.type);
    }
    status = tulle_vec_write(t->problem->ctx, *made, column, 0);
    free(column);
    return status;
}

/* Copies the pivots of tulle's factors, as rows that count from 1. */
static tulle_status copy_pivots(const dense_task *t) {
    const int64_t count = t->problem->info.rows * t->dense->systems;
    int32_t *pivots = tool_alloc((size_t)count, sizeof *pivots);
    tulle_status status = tulle_vec_read(t->problem->ctx, t->dense->room, pivots, 0);
    for (int64_t i = 0; i < count && status == TULLE_OK; i++) pivots[i]++;
    if (status == TULLE_OK) status = tulle_vec_write(t->problem->ctx, t->pivots, pivots, 0);
    free(pivots);
    return status;
}

static tulle_status make(dense_task *t) {
    const trial_problem *p = t->problem;
    const int64_t systems = t->dense->systems;
    tulle_status status = cublas_open(p->ctx, true, &t->handle, &t->scratch);
    if (status != TULLE_OK) return status;
    if (p->detail == TRIAL_DENSE_FACTOR) {
        status = take_addresses(t, p->y, &t->matrices);
        return status == TULLE_OK ? tulle_vec_create(p->ctx, TULLE_F32, systems, &t->info) : status;
    }
    status = take_addresses(t, t->dense->F, &t->matrices);
    if (status == TULLE_OK) status = take_addresses(t, p->y, &t->sides);
    if (status == TULLE_OK) {
        status = tulle_vec_create(p->ctx, TULLE_F32, p->info.rows * systems, &t->pivots);
    }
    return status == TULLE_OK ? copy_pivots(t) : status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *p, trial_task *task) {
    if (p->detail != peer->variant || p->block.layout != TULLE_COLUMN_MAJOR) {
        return tool_record(TULLE_UNSUPPORTED, "%s: its own operation, matrix by matrix in memory",
                           peer->name);
    }
    dense_task *t = tool_alloc(1, sizeof *t);
    *t = (dense_task){.problem = p, .dense = p->own};
    *task = (trial_task){.state = t};
    tulle_status status = make(t);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status factor(void *state) {
    const dense_task *t = state;
    const trial_problem *p = t->problem;
    const int n = (int)p->info.rows;
    tulle_status status = tulle_vec_copy(p->ctx, p->x, p->y);
    if (status != TULLE_OK) return status;
    CUBLAS_TRY_TYPED(p->info.type, getrfBatched, t->handle, n, data_of(t->matrices), n,
                     (int *)t->dense->pivots, (int *)data_of(t->info), (int)t->dense->systems);
    return TULLE_OK;
}

static tulle_status solve(void *state) {
    const dense_task *t = state;
    const trial_problem *p = t->problem;
    const int n = (int)p->info.rows;
    int fault = 0;
    tulle_status status = tulle_vec_copy(p->ctx, p->x, p->y);
    if (status != TULLE_OK) return status;
    CUBLAS_TRY_TYPED(p->info.type, getrsBatched, t->handle, CUBLAS_OP_N, n, 1, data_of(t->matrices),
                     n, (const int *)data_of(t->pivots), data_of(t->sides), n, &fault,
                     (int)t->dense->systems);
    return TULLE_OK;
}

#define PEER(algorithm_name, operation, running)                                                   \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cublas",                                                                       \
        .gpu = true,                                                                               \
        .variant = operation,                                                                      \
        .op = "uniform_lu",                                                                        \
        .available = cublas_available,                                                             \
        .prepare = prepare,                                                                        \
        .run = running,                                                                            \
        .close = close_task,                                                                       \
    };

PEER(cublas_getrf_batched, TRIAL_DENSE_FACTOR, factor)
PEER(cublas_getrs_batched, TRIAL_DENSE_SOLVE, solve)

#endif
