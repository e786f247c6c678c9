/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/amg_task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "trials/amg.h"

/* A setup: its time in milliseconds, and the values and levels of the hierarchy that it made. */
typedef struct setup {
    double ms;
    trial_values values;
} setup;

typedef struct own_task {
    const trial_problem *problem;
    const trial_amg *own;
    tulle_mat *copy; /* a copy of the problem's matrix, of which nothing is known */
    tulle_linop *A, *M;
    tulle_solver *S;
    trial_values *values; /* NULL when the task is prepared */
} own_task;

static void destroy(own_task *t) {
    tulle_solver_destroy(t->S);
    tulle_linop_destroy(t->M);
    tulle_linop_destroy(t->A);
    t->S = NULL;
    t->A = t->M = NULL;
}

static tulle_status create(own_task *t) {
    tulle_ctx *ctx = t->problem->ctx;
    const tulle_solver_options options = {.method = t->own->solve.method,
                                          .tolerance = t->own->tolerance,
                                          .restart = TRIAL_SOLVE_RESTART};
    tulle_status status = tulle_linop_from_mat(ctx, t->copy, &t->A);
    if (status == TULLE_OK)
        status = tulle_amg_create(ctx, t->copy, &t->own->hierarchy.options, &t->M);
    if (status == TULLE_OK) status = tulle_solver_create(ctx, t->A, t->M, &options, &t->S);
    return status == TULLE_OK ? tulle_ctx_synchronize(ctx) : status;
}

static void describe_whole(const tulle_amg_info *info, trial_values *values) {
    double *of = values->of;
    of[TRIAL_AMG_LEVELS] = info->levels;
    of[TRIAL_AMG_OPERATOR] = info->operator_complexity;
    of[TRIAL_AMG_GRID] = info->grid_complexity;
    of[TRIAL_AMG_SPLIT] = of[TRIAL_AMG_INTERPOLATION] = of[TRIAL_AMG_PRODUCT] = 0;
    values->parts = info->levels < TRIAL_PARTS ? info->levels : TRIAL_PARTS;
}

/* Notes a level, and adds its phases to those of all levels. */
static void describe_level(const tulle_amg_level_info *level, double part[TRIAL_PART], double *of) {
    const double numbers[TRIAL_PART] = {(double)level->rows,     (double)level->nnz,
                                        level->passed,           level->split_ms,
                                        level->interpolation_ms, level->product_ms};
    for (int k = 0; k < TRIAL_PART; k++) part[k] = numbers[k];
    of[TRIAL_AMG_SPLIT] += level->split_ms;
    of[TRIAL_AMG_INTERPOLATION] += level->interpolation_ms;
    of[TRIAL_AMG_PRODUCT] += level->product_ms;
}

tulle_status trial_amg_describe(const tulle_linop *M, double setup_ms, int64_t *bytes,
                                trial_values *values) {
    tulle_amg_info info;
    tulle_amg_level_info level;
    double *of = values->of;
    tulle_status status = tulle_amg_describe(M, &info);
    if (status != TULLE_OK) return status;
    *bytes = info.bytes;
    describe_whole(&info, values);
    for (int l = 0; l < values->parts && status == TULLE_OK; l++) {
        status = tulle_amg_level_numbers(M, l, &level);
        if (status == TULLE_OK) describe_level(&level, values->part[l], of);
    }
    of[TRIAL_AMG_REST] = fmax(
        0, setup_ms - of[TRIAL_AMG_SPLIT] - of[TRIAL_AMG_INTERPOLATION] - of[TRIAL_AMG_PRODUCT]);
    return status;
}

static tulle_status describe(const own_task *t, setup *s) {
    int64_t bytes;
    const tulle_status status = trial_amg_describe(t->M, s->ms, &bytes, &s->values);
    if (status == TULLE_OK) s->values.of[TRIAL_AMG_HELD] = (double)bytes / (double)t->own->bytes;
    return status;
}

/* Replaces the hierarchy by a new one, and notes the time that it took and what it is like. */
static tulle_status time_setup(own_task *t, setup *s) {
    destroy(t);
    tulle_status status = tulle_ctx_synchronize(t->problem->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = create(t);
    s->ms = 1e3 * (tulle__seconds() - start);
    s->values = *t->values;
    return status == TULLE_OK ? describe(t, s) : status;
}

static int by_time(const void *a, const void *b) {
    const double x = ((const setup *)a)->ms, y = ((const setup *)b)->ms;
    return (x > y) - (x < y);
}

/* Makes the hierarchy several times, and notes time and values of the setup with the median time.
 */
static tulle_status time_setups(own_task *t, trial_task *task) {
    setup s[TRIAL_AMG_SETUPS] = {{.ms = 0}};
    for (int i = 0; i < TRIAL_AMG_SETUPS; i++) {
        const tulle_status status = time_setup(t, &s[i]);
        if (status != TULLE_OK) return status;
    }
    qsort(s, TRIAL_AMG_SETUPS, sizeof *s, by_time);
    task->prep_ms = s[TRIAL_AMG_SETUPS / 2].ms;
    task->values = s[TRIAL_AMG_SETUPS / 2].values;
    return TULLE_OK;
}

/* Notes the bytes that a setup holds beside A at its end, and the most that it holds meanwhile; it
 * begins without scratch from earlier work. */
static tulle_status find_memory(own_task *t, trial_task *task) {
    tulle_ctx *ctx = t->problem->ctx;
    tulle_memory_usage before, after;
    destroy(t);
    tulle_status status = tulle_ctx_trim(ctx);
    if (status == TULLE_OK) status = tulle_ctx_reset_high(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &before);
    if (status == TULLE_OK) status = create(t);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &after);
    if (status != TULLE_OK) return status;
    task->extra_bytes = (int64_t)(after.in_use - before.in_use);
    t->values->of[TRIAL_AMG_PEAK] = (double)(after.high - before.in_use) / (double)t->own->bytes;
    return TULLE_OK;
}

static tulle_status solve(const own_task *t, tulle_solver_report *report) {
    const trial_problem *p = t->problem;
    const tulle_status status = tulle_solver_run(p->ctx, t->S, p->x, p->y, report);
    if (status != TULLE_OK || report->outcome == TULLE_CONVERGED) return status;
    return tool_record(TULLE_UNSUPPORTED, "multigrid with %s: %s",
                       tulle_method_name(t->own->solve.method),
                       tulle_outcome_text(report->outcome));
}

/* Solves once: counts iterations, and finds the mean factor of the residual in an iteration. */
static tulle_status find_convergence(const own_task *t) {
    tulle_solver_report report;
    const tulle_status status = solve(t, &report);
    if (status != TULLE_OK) return status;
    const double count = (double)report.iterations;
    t->values->of[TRIAL_AMG_ITERATIONS] = count;
    if (count > 0) {
        t->values->of[TRIAL_AMG_FACTOR] = pow(report.norm / report.start_norm, 1 / count);
    }
    return TULLE_OK;
}

static tulle_status update(void *user) {
    const own_task *t = user;
    return tulle_amg_update(t->problem->ctx, t->M, NULL, TULLE_AMG_KEEP_P);
}

static tulle_status cycle(void *user) {
    const own_task *t = user;
    const trial_problem *p = t->problem;
    return tulle_linop_apply(p->ctx, TULLE_N, tulle_num(1), t->M, p->x, tulle_num(0), p->y);
}

static tulle_status time_call(own_task *t, tool_call call, int value) {
    tool_timing timing = {.ms = 0};
    const tulle_status status = tool_time_well(t->problem->ctx, &t->own->budget, call, t, &timing);
    t->values->of[value] = timing.ms;
    return status;
}

/* Fills in the kernel of the row, which is the operation's function, with the given options of the
 * hierarchy as its parameters; bytes and cost are not known. */
static void name_options(const trial_problem *p, trial_task *task) {
    const trial_amg *own = p->own;
    const char *text = own->hierarchy.text;
    task->choice.kernel = p->operation->function;
    task->choice.kernel_bytes = -1;
    task->choice.cost_bytes = (double)NAN;
    snprintf(task->choice.params, sizeof task->choice.params, "%s", text ? text : "");
}

tulle_status trial_amg_prepare(const trial_problem *p, trial_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    *t = (own_task){.problem = p, .own = p->own, .values = &task->values};
    task->state = t;
    trial_values_forget(t->values);
    name_options(p, task);
    tulle_status status = trial_problem_copy(p, &t->copy);
    if (status == TULLE_OK) status = time_setups(t, task);
    if (status == TULLE_OK) status = find_memory(t, task); /* the last setup: nobody asked for R */
    if (status == TULLE_OK) status = find_convergence(t);
    if (status == TULLE_OK) status = time_call(t, update, TRIAL_AMG_UPDATE);
    if (status == TULLE_OK) status = time_call(t, cycle, TRIAL_AMG_CYCLE);
    t->values = NULL;
    if (status != TULLE_OK) trial_amg_finish(t);
    return status;
}

tulle_status trial_amg_run(void *state) {
    tulle_solver_report report;
    return solve(state, &report);
}

void trial_amg_finish(void *state) {
    own_task *t = state;
    destroy(t);
    tulle_mat_destroy(t->copy);
    free(t);
}
