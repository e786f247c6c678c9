/* SPDX-License-Identifier: Apache-2.0 */
/* A x = b by tulle_solve, to its default tolerance: as it chooses, and with methods and
 * preconditioners that are given. A call is a whole solution, with choice and setup. */
#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "trials/solve.h"

typedef struct way {
    const char *detail, *method, *precond;
} way;

/* The first is the library's own choice. */
static const way ways[] = {
    {"chosen", NULL, NULL},
    {"cg-jacobi", "cg", "jacobi"},
    {"cg-ic", "cg", "ic"},
    {"cg-amg", "cg", "amg"},
    {"bicgstab-jacobi", "bicgstab", "jacobi"},
    {"bicgstab-ilu", "bicgstab", "ilu"},
    {"gmres-jacobi", "gmres", "jacobi"},
    {"gmres-ilu", "gmres", "ilu"},
};

/* Computed residuals are rounded to the limit. */
static const double slack = 1e-12;

static tulle_status as_it_is(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B) {
    tulle_mat_info info;
    const tulle_status status = tulle_mat_describe(A, &info);
    return status == TULLE_OK ? tulle_mat_convert(ctx, A, TULLE_CSR, info.index, 0, B) : status;
}

static tulle_status solve(const trial_problem *p, tulle_solve_report *report) {
    const way *w = &ways[p->detail];
    const tulle_solve_options options = {.method = w->method, .precond = w->precond};
    return tulle_solve(p->ctx, p->A, p->x, p->y, &options, report);
}

/* Fails with TULLE_UNSUPPORTED where the way does not solve the system. */
static tulle_status try_first(trial_problem *p) {
    trial_solve *s = p->own;
    tulle_solve_report report;
    const tulle_status status = solve(p, &report);
    if (status == TULLE_ZERO_PIVOT) {
        return tool_record(TULLE_UNSUPPORTED, "%s: %s", ways[p->detail].detail,
                           tulle_last_error()->message);
    }
    if (status != TULLE_OK) return status;
    if (report.solver.outcome != TULLE_CONVERGED) {
        return tool_record(TULLE_UNSUPPORTED, "%s: %s", ways[p->detail].detail,
                           tulle_outcome_text(report.solver.outcome));
    }
    s->method = report.method;
    s->allowed = report.solver.limit * (1 + slack);
    return TULLE_OK;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    p->own = tool_alloc(1, sizeof(trial_solve));
    *(trial_solve *)p->own = (trial_solve){.b = NULL};
    tulle_status status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->x);
    if (status == TULLE_OK) {
        status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->y);
    }
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, p->x, given->seed);
    if (status == TULLE_OK) status = try_first(p);
    tulle_choice choice;
    if (status == TULLE_OK) status = tulle_spmv_describe(p->ctx, TULLE_N, p->A, true, &choice);
    if (status != TULLE_OK) return status;
    p->minimal_bytes = choice.minimal_bytes;
    return trial_solve_check_open(p, given);
}

static void close_problem(trial_problem *p) {
    if (p->own) trial_solve_check_close(p->own);
    free(p->own);
}

static tulle_status run(void *state) {
    tulle_solve_report report;
    return solve(state, &report);
}

/* Finds the most memory that a call holds beside A, b and x. */
static tulle_status prepare(const trial_problem *p, trial_task *task) {
    tulle_memory_usage before, after;
    task->state = (void *)p;
    tulle_status status = tulle_ctx_reset_high(p->ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &before);
    if (status == TULLE_OK) status = run(task->state);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &after);
    if (status == TULLE_OK) task->extra_bytes = (int64_t)(after.high - before.in_use);
    return status;
}

static void finish(void *state) {
    (void)state;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    return trial_solve_error(p, units);
}

const trial_operation trial_operation_solve = {
    .name = "solve",
    .function = "tulle_solve",
    .formula = "A x = b, solved whole",
    .detail = {"chosen", "cg-jacobi", "cg-ic", "cg-amg", "bicgstab-jacobi", "bicgstab-ilu",
               "gmres-jacobi", "gmres-ilu"},
    .choose = as_it_is,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
