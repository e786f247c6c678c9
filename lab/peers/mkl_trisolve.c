/* SPDX-License-Identifier: Apache-2.0 */
/* MKL's inspector-executor triangular solves with the same CSR arrays, of one right-hand side and
 * of several, with a triangle or its transpose: without inspection, and after MKL's inspection for
 * many solves. */
#include <stdlib.h>

#include "core/stopwatch.h"
#include "lab/peers/mkl_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

enum { MANY_CALLS = 10000 };

typedef struct mkl_task {
    mkl_matrix *A;
    mkl_description triangle;
    int op;
    bool f32;
    int layout;
    tulle_vec_info b, x;
} mkl_task;

static void close_task(void *state) {
    mkl_task *t = state;
    if (t->A) mkl.mkl_sparse_destroy(t->A);
    free(t);
}

static int hint(const mkl_task *t) {
    if (t->b.cols == 1) {
        return mkl.mkl_sparse_set_sv_hint(t->A, t->op, t->triangle, MANY_CALLS);
    }
    return mkl.mkl_sparse_set_sm_hint(t->A, t->op, t->triangle, t->layout, (int)t->b.cols,
                                      MANY_CALLS);
}

static tulle_status inspect(const mkl_task *t, trial_task *task) {
    int blocks = 0;
    int64_t before = mkl.MKL_Mem_Stat(&blocks);
    double start = tulle__seconds();
    tulle_status status = mkl_status(hint(t), "mkl_sparse_set_sv_hint");
    if (status == TULLE_OK) status = mkl_status(mkl.mkl_sparse_optimize(t->A), "optimize");
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    task->extra_bytes = mkl.MKL_Mem_Stat(&blocks) - before;
    return status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    if (problem->info.index != TULLE_I32 || problem->info.format != TULLE_CSR) {
        return tool_record(TULLE_UNSUPPORTED, "MKL's solves: for CSR with 32-bit indices");
    }
    mkl.MKL_Set_Num_Threads(problem->device.threads);
    const bool lower = problem->detail == TULLE_LOWER;
    const bool by_row = problem->block.layout == TULLE_ROW_MAJOR;
    mkl_task *t = tool_alloc(1, sizeof *t);
    *t = (mkl_task){.triangle = {MKL_TRIANGULAR, lower ? MKL_LOWER : MKL_UPPER, MKL_NON_UNIT},
                    .op = problem->trans == TULLE_T ? MKL_TRANSPOSE : MKL_NO_TRANSPOSE,
                    .f32 = problem->info.type == TULLE_F32,
                    .layout = by_row ? MKL_BY_ROW : MKL_BY_COLUMN};
    *task = (trial_task){.state = t, .threads = problem->device.threads};
    tulle_status status = tulle_vec_describe(problem->x, &t->b);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &t->x);
    if (status == TULLE_OK) status = mkl_create(problem->A, &t->A);
    if (status == TULLE_OK && peer->variant) status = inspect(t, task);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status solve_one(const mkl_task *t) {
    int code = t->f32 ? mkl.mkl_sparse_s_trsv(t->op, 1, t->A, t->triangle, t->b.data, t->x.data)
                      : mkl.mkl_sparse_d_trsv(t->op, 1, t->A, t->triangle, t->b.data, t->x.data);
    return mkl_status(code, "mkl_sparse_trsv");
}

static tulle_status solve_all(const mkl_task *t) {
    const int columns = (int)t->b.cols, ldb = (int)t->b.ld, ldx = (int)t->x.ld;
    int code = t->f32 ? mkl.mkl_sparse_s_trsm(t->op, 1, t->A, t->triangle, t->layout, t->b.data,
                                              columns, ldb, t->x.data, ldx)
                      : mkl.mkl_sparse_d_trsm(t->op, 1, t->A, t->triangle, t->layout, t->b.data,
                                              columns, ldb, t->x.data, ldx);
    return mkl_status(code, "mkl_sparse_trsm");
}

static tulle_status run(void *state) {
    const mkl_task *t = state;
    return t->b.cols == 1 ? solve_one(t) : solve_all(t);
}

/* The inspected solve of an upper triangle by several threads reads X. */
#define PEER(suffix, number)                                                                       \
    const bench_peer bench_peer_##suffix = {                                                       \
        .name = #suffix,                                                                           \
        .library = "mkl",                                                                          \
        .variant = number,                                                                         \
        .reads_y = true,                                                                           \
        .op = "trisolve",                                                                          \
        .available = mkl_available,                                                                \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };
PEER(mkl_trisolve, 0)
PEER(mkl_trisolve_optimized, 1)
