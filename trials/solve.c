/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration of CG, BiCGStab or GMRES. Preparing is making operators and the solver. */
#include "trials/solve.h"

#include <stdlib.h>

#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/triangle.h"
#include "trials/system.h"

/* The work of an iteration beside its products with A: numbers of vectors, read and written in as
 * few passes as the recurrence allows, and the numbers that a preconditioner adds, one that is a
 * factor in a pass (scaled) or one that is applied by itself (applied); and operations, each of as
 * many as a vector has numbers. */
typedef struct passes {
    int products;
    double numbers, scaled, applied, operations;
} passes;

/* The vectors that GMRES has on average: each is read for the components of the new one, and when
 * they are subtracted. */
static const double mean_basis = (TRIAL_SOLVE_RESTART + 1) / 2.0;

static passes passes_of(tulle_method method) {
    static const passes of[] = {
        [TULLE_CG] = {.products = 1, .numbers = 10, .scaled = 2, .applied = 2, .operations = 10},
        [TULLE_BICGSTAB] = {
            .products = 2, .numbers = 18, .scaled = 5, .applied = 1, .operations = 22}};
    if (method != TULLE_GMRES) return of[method];
    return (passes){.products = 1,
                    .numbers = 2 * mean_basis + 3,
                    .scaled = 2,
                    .operations = 4 * mean_basis + 3};
}

static double numbers_of(int detail, const passes *all) {
    const double more[] = {[TRIAL_SOLVE_NONE] = 0,
                           [TRIAL_SOLVE_JACOBI] = all->scaled,
                           [TRIAL_SOLVE_ILU] = all->applied};
    return all->numbers + more[detail];
}

trial_solve_work trial_solve_work_of(tulle_method method, int detail, const tulle_mat_info *A) {
    const passes all = passes_of(method);
    const double n = (double)A->rows;
    const double numbers = numbers_of(detail, &all) * n;
    return (trial_solve_work){.products = all.products,
                              .vector_bytes = (int64_t)(numbers * (double)tulle_type_size(A->type)),
                              .flops = 2 * all.products * (double)A->nnz + all.operations * n};
}

tulle_method trial_solve_method(const trial_operation *operation) {
    if (operation == &trial_operation_gmres) return TULLE_GMRES;
    return operation == &trial_operation_cg ? TULLE_CG : TULLE_BICGSTAB;
}

static bool asked(const trial_wish *wish, int detail) {
    return wish->precond == TRIAL_SOLVE_ALL || wish->precond == detail;
}

static tulle_status choose_definite(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B) {
    return trial_system_of(ctx, A, true, B);
}

static tulle_status choose_any(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B) {
    return trial_system_of(ctx, A, false, B);
}

/* Counts the bytes that solving with factors on A's pattern moves at least. */
static tulle_status count_factors(trial_problem *p, int64_t *bytes) {
    tulle_trisolve_info lower, upper;
    *bytes = 0;
    if (p->detail != TRIAL_SOLVE_ILU) return TULLE_OK;
    tulle_status status = tulle_trisolve_analyse(p->ctx, TULLE_LOWER, TULLE_N, p->A, &lower);
    if (status == TULLE_OK) {
        status = tulle_trisolve_analyse(p->ctx, TULLE_UPPER, TULLE_N, p->A, &upper);
    }
    if (status != TULLE_OK) return status;
    p->levels = lower.levels;
    *bytes = tool_triangle_bytes(&p->info, &lower, TULLE_UNIT, 1) +
             tool_triangle_bytes(&p->info, &upper, TULLE_NON_UNIT, 1);
    return TULLE_OK;
}

static tulle_status count(trial_problem *p) {
    const trial_solve *s = p->own;
    const trial_solve_work work = trial_solve_work_of(s->method, p->detail, &p->info);
    tulle_choice choice;
    int64_t factors = 0;
    tulle_status status = tulle_spmv_describe(p->ctx, TULLE_N, p->A, true, &choice);
    if (status == TULLE_OK) status = count_factors(p, &factors);
    if (status != TULLE_OK) return status;
    p->whole = p->detail == TRIAL_SOLVE_ILU;
    p->vector_bytes = work.vector_bytes;
    p->minimal_bytes = work.products * (choice.minimal_bytes + factors) + p->vector_bytes;
    if (!p->whole) p->flops = work.flops;
    return TULLE_OK;
}

/* A call for the stopwatch: y := L x. */
typedef struct application {
    const trial_problem *problem;
    tulle_linop *L;
} application;

static tulle_status apply(void *user) {
    const application *a = user;
    const trial_problem *p = a->problem;
    return tulle_linop_apply(p->ctx, TULLE_N, tulle_num(1), a->L, p->x, tulle_num(0), p->y);
}

/* Adds what an application takes. */
static tulle_status add_application(trial_problem *p, const tool_budget *budget, tulle_linop *L) {
    application a = {.problem = p, .L = L};
    tool_timing timing = {.ms = 0};
    tulle_status status = tool_time_well(p->ctx, budget, apply, &a, &timing);
    p->product_ms += timing.ms;
    return status;
}

/* Measures the time of the operators of an iteration alone. */
static tulle_status time_products(trial_problem *p, const tool_budget *budget) {
    const trial_solve *s = p->own;
    const tulle_solver_options options = trial_solver_options(p, p->iterations);
    trial_solver solver;
    tulle_status status = trial_solver_open(p, &options, &solver);
    if (status != TULLE_OK) return status;
    status = add_application(p, budget, solver.A);
    if (status == TULLE_OK && p->detail == TRIAL_SOLVE_ILU) {
        status = add_application(p, budget, solver.M);
    }
    p->product_ms *= passes_of(s->method).products;
    trial_solver_close(&solver);
    return status;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    trial_solve *s = tool_alloc(1, sizeof *s);
    *s = (trial_solve){.method = trial_solve_method(p->operation)};
    p->own = s;
    tulle_vec **const both[] = {&p->x, &p->y};
    tulle_status status = TULLE_OK;
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, both[i]);
    }
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, p->x, given->seed);
    if (status == TULLE_OK) status = trial_solve_length(p, &given->budget);
    if (status == TULLE_OK) status = count(p);
    if (status == TULLE_OK) status = time_products(p, &given->budget);
    return status == TULLE_OK ? trial_solve_check_open(p, given) : status;
}

static void close_problem(trial_problem *p) {
    if (p->own) trial_solve_check_close(p->own);
    free(p->own);
}

typedef struct own_task {
    const trial_problem *problem;
    trial_solver solver;
} own_task;

static tulle_status in_use(tulle_ctx *ctx, int64_t *bytes) {
    tulle_memory_usage usage;
    tulle_status status = tulle_ctx_synchronize(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &usage);
    if (status == TULLE_OK) *bytes = (int64_t)usage.in_use;
    return status;
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    const tulle_solver_options options = trial_solver_options(p, p->iterations);
    own_task *t = tool_alloc(1, sizeof *t);
    int64_t before = 0, after = 0;
    *t = (own_task){.problem = p};
    task->state = t;
    tulle_status status = in_use(p->ctx, &before);
    if (status == TULLE_OK) status = trial_solver_open(p, &options, &t->solver);
    if (status != TULLE_OK) {
        free(t);
        return status;
    }
    status = in_use(p->ctx, &after);
    task->prep_ms = t->solver.setup_ms;
    task->extra_bytes = after - before;
    return status;
}

static tulle_status run(void *state) {
    const own_task *t = state;
    const trial_problem *p = t->problem;
    tulle_solver_report report;
    tulle_status status = tulle_solver_run(p->ctx, t->solver.S, p->x, p->y, &report);
    if (status != TULLE_OK || report.iterations == p->iterations) return status;
    return tool_record(TULLE_INVALID_ARGUMENT, "%s ends after other iterations than it did: %s",
                       tulle_method_name(((trial_solve *)p->own)->method),
                       tulle_outcome_text(report.outcome));
}

static void finish(void *state) {
    own_task *t = state;
    trial_solver_close(&t->solver);
    free(t);
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    return trial_solve_error(p, units);
}

#define OPERATION(method, its_formula, choosing)                                                   \
    const trial_operation trial_operation_##method = {                                             \
        .name = #method,                                                                           \
        .function = "tulle_solver_run",                                                            \
        .formula = its_formula,                                                                    \
        .iterates = true,                                                                          \
        .detail = TRIAL_SOLVE_DETAILS,                                                             \
        .asked = asked,                                                                            \
        .choose = choosing,                                                                        \
        .open = open_problem,                                                                      \
        .close = close_problem,                                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .finish = finish,                                                                          \
        .reset = trial_problem_poison,                                                             \
        .error = error_of,                                                                         \
    };

OPERATION(cg, "A x = b by CG", choose_definite)
OPERATION(bicgstab, "A x = b by BiCGStab", choose_any)
OPERATION(gmres, "A x = b by GMRES(30)", choose_any)
