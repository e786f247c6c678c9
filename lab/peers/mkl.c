/* SPDX-License-Identifier: Apache-2.0 */
/* MKL's inspector-executor products with the same CSR arrays: without inspection, and after MKL's
 * inspection for many products. */
#include <stdlib.h>

#include "core/stopwatch.h"
#include "lab/peers/mkl_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

enum { MANY_CALLS = 10000 };

typedef struct mkl_task {
    mkl_matrix *A;
    int op;
    bool f32;
    const void *x;
    void *y;
} mkl_task;

static const mkl_description general = {MKL_GENERAL, MKL_FULL, MKL_NON_UNIT};

static void close_task(void *state) {
    mkl_task *t = state;
    if (t->A) mkl.mkl_sparse_destroy(t->A);
    free(t);
}

static tulle_status inspect(mkl_task *t, trial_task *task) {
    int blocks = 0;
    int64_t before = mkl.MKL_Mem_Stat(&blocks);
    double start = tulle__seconds();
    tulle_status status =
        mkl_status(mkl.mkl_sparse_set_mv_hint(t->A, t->op, general, MANY_CALLS), "set_mv_hint");
    if (status == TULLE_OK) status = mkl_status(mkl.mkl_sparse_optimize(t->A), "optimize");
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    task->extra_bytes = mkl.MKL_Mem_Stat(&blocks) - before;
    return status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    if (problem->info.index != TULLE_I32) {
        return tool_record(TULLE_UNSUPPORTED, "MKL's 32-bit interface has 32-bit indices");
    }
    tulle_vec_info x, y;
    tulle_status status = tulle_vec_describe(problem->x, &x);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &y);
    if (status != TULLE_OK) return status;
    mkl.MKL_Set_Num_Threads(problem->device.threads);
    mkl_task *t = tool_alloc(1, sizeof *t);
    *t = (mkl_task){.op = problem->trans == TULLE_N ? MKL_NO_TRANSPOSE : MKL_TRANSPOSE,
                    .f32 = problem->info.type == TULLE_F32,
                    .x = x.data,
                    .y = y.data};
    *task = (trial_task){.state = t, .threads = problem->device.threads};
    status = mkl_create(problem->A, &t->A);
    if (status == TULLE_OK && peer->variant) status = inspect(t, task);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    const mkl_task *t = state;
    int code = t->f32 ? mkl.mkl_sparse_s_mv(t->op, 1, t->A, general, t->x, 0, t->y)
                      : mkl.mkl_sparse_d_mv(t->op, 1, t->A, general, t->x, 0, t->y);
    return mkl_status(code, "mkl_sparse_mv");
}

#define PEER(suffix, number)                                                                       \
    const bench_peer bench_peer_##suffix = {                                                       \
        .name = #suffix,                                                                           \
        .library = "mkl",                                                                          \
        .variant = number,                                                                         \
        .available = mkl_available,                                                                \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };
PEER(mkl_csr, 0)
PEER(mkl_csr_optimized, 1)
