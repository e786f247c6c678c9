/* SPDX-License-Identifier: Apache-2.0 */
/* Y = op(A) X. Preparing is a plan, where one is asked for, and a first call, which tells how much
 * memory a product takes. */
#include "bench/spmv.h"

#include <stdlib.h>

#include "bench/variant.h"
#include "core/stopwatch.h"
#include "tools/common/error.h"

/* Asks the library which kernel a product with the matrix, or with a copy of it, would run. */
static tulle_status choose(const bench_problem *p, const tulle_mat *A, tulle_choice *choice) {
    if (!bench_is_block(&p->block)) return tulle_spmv_choice(p->ctx, p->trans, A, true, choice);
    return tulle_spmm_choice(p->ctx, p->trans, A, p->x, p->y, true, choice);
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t columns = p->trans == TULLE_N ? p->info.cols : p->info.rows;
    const int64_t rows = p->trans == TULLE_N ? p->info.rows : p->info.cols;
    const int64_t k = p->block.vectors;
    const tulle_layout layout = p->block.layout;
    tulle_choice choice = {.kernel = NULL};
    tulle_status status = tulle_dense_create(p->ctx, p->info.type, columns, k, layout, 0, &p->x);
    if (status == TULLE_OK) {
        status = tulle_dense_create(p->ctx, p->info.type, rows, k, layout, 0, &p->y);
    }
    if (status == TULLE_OK) status = tulle_dense_random(p->ctx, p->x, given->seed);
    if (status == TULLE_OK) status = choose(p, p->A, &choice);
    if (status != TULLE_OK) return status;
    p->minimal_bytes = choice.minimal_bytes;
    p->flops = 2 * (double)p->info.nnz * (double)k;
    return given->check ? bench_check_create(p->ctx, p->A, p->trans, p->x, &p->check) : TULLE_OK;
}

static void close_problem(bench_problem *p) {
    (void)p;
}

tulle_status bench_spmv_open(tulle_ctx *ctx, tulle_mat *A, tulle_trans trans, bench_block block,
                             uint64_t seed, bool check, bench_problem *problem) {
    const bench_given given = {
        .A = A, .trans = trans, .block = block, .seed = seed, .check = check};
    return bench_acting_open(ctx, &bench_actor_spmv, &given, problem);
}

/* The matrix that is multiplied: the problem's, or a copy of it that has a plan. */
typedef struct own_task {
    const bench_problem *problem;
    tulle_mat *A;
} own_task;

static tulle_status run(void *state) {
    const own_task *t = state;
    const bench_problem *p = t->problem;
    const tulle_scalar one = tulle_num(1), zero = tulle_num(0);
    if (bench_is_block(&p->block)) {
        return tulle_spmm(p->ctx, p->trans, one, t->A, p->x, zero, p->y);
    }
    return tulle_spmv(p->ctx, p->trans, one, t->A, p->x, zero, p->y);
}

static void finish(void *state) {
    own_task *t = state;
    tulle_mat_destroy(t->A);
    free(t);
}

static tulle_status plan(const bench_problem *p, const bench_variant *variant, tulle_mat *A) {
    const char *spec = variant->spec;
    if (variant->choice == BENCH_PLAN) {
        return tulle_mat_plan(p->ctx, A, p->trans, spec[0] ? spec : NULL);
    }
    return tulle_mat_optimize_with(p->ctx, A, p->trans, NULL, NULL);
}

static tulle_status start_memory(tulle_ctx *ctx, tulle_memory_usage *before) {
    tulle_status status = tulle_ctx_reset_high(ctx);
    return status == TULLE_OK ? tulle_ctx_memory(ctx, before) : status;
}

/* The most that was held above what was there before. Growth of the workspace does not count, for
 * earlier work may have grown it as well; the scratch that this choice needs does. */
static tulle_status extra_memory(tulle_ctx *ctx, const tulle_memory_usage *before, int64_t scratch,
                                 int64_t *bytes) {
    tulle_memory_usage after;
    tulle_status status = tulle_ctx_memory(ctx, &after);
    if (status != TULLE_OK) return status;
    int64_t held = (int64_t)after.high - (int64_t)before->in_use;
    int64_t grown = (int64_t)after.workspace - (int64_t)before->workspace;
    *bytes = (held > grown ? held - grown : 0) + scratch;
    return TULLE_OK;
}

/* A plan is made on a copy of A, for what a plan leaves with a pattern would speed up the next. */
static tulle_status make_plan(own_task *t, bench_task *task, tulle_memory_usage *before) {
    const bench_problem *p = t->problem;
    tulle_status status = bench_acting_copy(p, &t->A);
    if (status == TULLE_OK) status = start_memory(p->ctx, before);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = plan(p, task->variant, t->A);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    return status;
}

static tulle_status prepare(const bench_problem *p, bench_task *task) {
    const bench_choice by = task->variant->choice;
    own_task *t = tool_alloc(1, sizeof *t);
    *t = (own_task){.problem = p};
    task->state = t;
    tulle_memory_usage before;
    tulle_status status = TULLE_OK;
    if (by == BENCH_PLAN || by == BENCH_OPTIMISE) {
        status = make_plan(t, task, &before);
    } else {
        t->A = tulle_mat_retain(p->A);
        status = start_memory(p->ctx, &before);
    }
    if (status == TULLE_OK) status = choose(p, t->A, &task->choice);
    if (status == TULLE_OK) status = run(t);
    if (status == TULLE_OK) {
        status = extra_memory(p->ctx, &before, task->choice.workspace_bytes, &task->extra_bytes);
    }
    if (status != TULLE_OK) finish(t);
    return status;
}

static tulle_status error_of(const bench_problem *p, void *state, double *units) {
    (void)state;
    return bench_problem_error(p, units);
}

const bench_actor bench_actor_spmv = {
    .name = "spmv",
    .kernels = "spmv",
    .function = "tulle_spmv",
    .formula = "A x",
    .transposed = "A' x",
    .blocks = true,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = bench_problem_poison,
    .error = error_of,
};
