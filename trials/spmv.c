/* SPDX-License-Identifier: Apache-2.0 */
/* Y = alpha op(A) X + beta Y. Preparing is a plan, where one is asked for, and a first call, which
 * tells how much memory a product takes. */
#include "trials/spmv.h"

#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/vector_file.h"

const trial_spmv_options trial_spmv_plain = {.alpha = 1, .x = "random", .y = "random"};

/* The trial's own: how it was asked, and the numbers that the check of a trial alone reads. */
typedef struct own {
    trial_spmv_options options;
    bool alone, checked;
    tulle_mat *csr;          /* the caller's: A as the check of a trial alone reads it */
    void *x_host, *y_before; /* X, and Y before the first call; NULL: beta is 0 */
    tulle_optimize_report optimized;
    tool_error_found worst;
} own;

static const own *own_of(const trial_problem *p) {
    return p->own;
}

static bool by_spmm(const trial_problem *p) {
    return trial_is_block(&p->block) || own_of(p)->options.multivectors;
}

/* Asks the library which kernel a product with the matrix, or with a copy of it, would run. */
static tulle_status choose(const trial_problem *p, const tulle_mat *A, tulle_choice *choice) {
    const bool plain = own_of(p)->options.beta == 0;
    if (!by_spmm(p)) return tulle_spmv_describe(p->ctx, p->trans, A, plain, choice);
    return tulle_spmm_describe(p->ctx, p->trans, A, p->x, p->y, plain, choice);
}

static tulle_status open_vectors(trial_problem *p, uint64_t seed) {
    own *o = p->own;
    const int64_t columns = p->trans == TULLE_N ? p->info.cols : p->info.rows;
    const int64_t rows = p->trans == TULLE_N ? p->info.rows : p->info.cols;
    const int64_t k = p->block.vectors;
    const tulle_layout y_layout = o->options.multivectors ? o->options.y_layout : p->block.layout;
    tulle_status status =
        tulle_vec_create_columns(p->ctx, p->info.type, columns, k, p->block.layout, 0, &p->x);
    if (status == TULLE_OK) {
        status = tulle_vec_create_columns(p->ctx, p->info.type, rows, k, y_layout, 0, &p->y);
    }
    if (status != TULLE_OK) return status;
    o->x_host = tool_block_host(p->x);
    status = tool_fill_block(p->ctx, o->options.x, seed, p->x, o->x_host);
    if (status != TULLE_OK || o->options.beta == 0) return status;
    o->y_before = tool_block_host(p->y);
    return tool_fill_block(p->ctx, o->options.y, seed + 1, p->y, o->y_before);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    own *o = tool_alloc(1, sizeof *o);
    *o = (own){.options = trial_spmv_plain,
               .alone = given->alone,
               .checked = given->check,
               .csr = given->csr};
    if (given->options) o->options = *(const trial_spmv_options *)given->options;
    p->own = o;
    tulle_choice choice = {.kernel = NULL};
    tulle_status status = open_vectors(p, given->seed);
    p->flops = 2 * (double)p->info.nnz * (double)p->block.vectors;
    /* A trial alone may need the plan that preparing makes, and has its choice from there. */
    if (status != TULLE_OK || given->alone) return status;
    status = choose(p, p->A, &choice);
    p->minimal_bytes = choice.minimal_bytes;
    if (status != TULLE_OK || !given->check) return status;
    p->check = trial_check_retain(given->known);
    if (p->check) return TULLE_OK;
    return trial_check_create(p->ctx, given->csr ? given->csr : p->A, p->trans, p->x, &p->check);
}

static void close_problem(trial_problem *p) {
    own *o = p->own;
    if (!o) return;
    free(o->x_host);
    free(o->y_before);
    free(o);
}

const tulle_optimize_report *trial_spmv_optimized(const trial_problem *problem) {
    return &own_of(problem)->optimized;
}

tulle_status trial_spmv_open(tulle_ctx *ctx, tulle_mat *A, tulle_trans trans, trial_block block,
                             uint64_t seed, bool check, trial_problem *problem) {
    const trial_given given = {
        .A = A, .trans = trans, .block = block, .seed = seed, .check = check};
    return trial_problem_open(ctx, &trial_operation_spmv, &given, problem);
}

/* The matrix that is multiplied: the problem's, or a copy of it that has a plan. */
typedef struct own_task {
    const trial_problem *problem;
    tulle_mat *A;
} own_task;

static tulle_status run(void *state) {
    const own_task *t = state;
    const trial_problem *p = t->problem;
    const trial_spmv_options *o = &own_of(p)->options;
    const tulle_scalar alpha = tulle_num(o->alpha), beta = tulle_num(o->beta);
    if (by_spmm(p)) return tulle_spmm(p->ctx, p->trans, alpha, t->A, p->x, beta, p->y);
    return tulle_spmv(p->ctx, p->trans, alpha, t->A, p->x, beta, p->y);
}

static void finish(void *state) {
    own_task *t = state;
    tulle_mat_destroy(t->A);
    free(t);
}

static tulle_status plan(const trial_problem *p, const trial_task *task, tulle_mat *A) {
    const char *spec = task->spec;
    if (task->by == TRIAL_PLAN) {
        return tulle_mat_plan(p->ctx, p->trans, A, spec && spec[0] ? spec : NULL);
    }
    own *o = p->own;
    const tulle_optimize_options options = {.expected_calls = o->options.calls,
                                            .vectors = by_spmm(p) ? p->block.vectors : 0,
                                            .layout = p->block.layout};
    return tulle_mat_optimize_with(p->ctx, p->trans, A, o->options.calls > 0 ? &options : NULL,
                                   &o->optimized);
}

static tulle_status start_memory(tulle_ctx *ctx, tulle_memory_usage *before) {
    tulle_status status = tulle_ctx_reset_high(ctx);
    return status == TULLE_OK ? tulle_ctx_memory(ctx, before) : status;
}

/* Finds the bytes of memory that a way takes: the most that was held beyond what was there before,
 * without growth of the workspace, which earlier work may have caused as well, and with the scratch
 * that this choice needs. */
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

/* Makes a plan, and notes its time. It is made on a copy of A, because what it leaves with a
 * pattern would speed up the next one; a trial that is run by itself has no next one. */
static tulle_status make_plan(own_task *t, trial_task *task, tulle_memory_usage *before) {
    const trial_problem *p = t->problem;
    tulle_status status = TULLE_OK;
    if (own_of(p)->alone) {
        t->A = tulle_mat_retain(p->A);
    } else {
        status = trial_problem_copy(p, &t->A);
    }
    if (status == TULLE_OK) status = start_memory(p->ctx, before);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = plan(p, task, t->A);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    return status;
}

/* Makes a first call, and notes how much memory the product takes. */
static tulle_status find_memory(own_task *t, trial_task *task, const tulle_memory_usage *before) {
    const tulle_status status = run(t);
    if (status != TULLE_OK) return status;
    return extra_memory(t->problem->ctx, before, task->choice.workspace_bytes, &task->extra_bytes);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    const trial_choice by = task->by;
    own_task *t = tool_alloc(1, sizeof *t);
    *t = (own_task){.problem = p};
    task->state = t;
    tulle_memory_usage before;
    tulle_status status = TULLE_OK;
    if (by == TRIAL_PLAN || by == TRIAL_OPTIMISE) {
        status = make_plan(t, task, &before);
    } else {
        t->A = tulle_mat_retain(p->A);
        status = start_memory(p->ctx, &before);
    }
    if (status == TULLE_OK) status = choose(p, t->A, &task->choice);
    if (status == TULLE_OK && !own_of(p)->alone) status = find_memory(t, task, &before);
    if (status != TULLE_OK) finish(t);
    return status;
}

/* Compares every number of y with its definition, by A as it was before it was converted to another
 * format. */
static tulle_status verify(const trial_problem *p, tool_error_found *found) {
    const own *o = own_of(p);
    tool_csr csr = {0};
    void *y = tool_block_host(p->y);
    tulle_status status = tool_block_read(p->ctx, p->y, y);
    if (status == TULLE_OK) status = tool_csr_open(p->ctx, o->csr, &csr);
    if (status == TULLE_OK) {
        status = tool_verify(&csr, p->trans, p->block.vectors, o->options.alpha, o->x_host,
                             o->options.beta, o->y_before, y, found);
    }
    tool_csr_close(&csr);
    tool_progress_end();
    free(y);
    return status;
}

/* Compares all columns, once, for a trial alone; else some columns, after many calls. */
static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    own *o = p->own;
    if (!o->alone) return trial_problem_error(p, units);
    const tulle_status status = verify(p, &o->worst);
    *units = o->worst.units;
    return status;
}

static const tool_error_found *worst(const trial_problem *p) {
    return &own_of(p)->worst;
}

const trial_operation trial_operation_spmv = {
    .name = "spmv",
    .kernels = "spmv",
    .function = "tulle_spmv",
    .formula = "A x",
    .transposed = "A' x",
    .general = true,
    .blocks = true,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
    .worst = worst,
};
