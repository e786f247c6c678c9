/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration of CG, BiCGStab or GMRES. Preparing is making operators and the solver. */
#include "bench/solve.h"

#include <stdlib.h>

#include "bench/system.h"
#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"

/* What an iteration has beside its products with A: numbers of vectors, read and written in as few
 * passes as the recurrence allows, and what a diagonal preconditioner adds; and operations, each of
 * as many as a vector has numbers. */
typedef struct passes {
    int products;
    double numbers, scaled, operations;
} passes;

/* The vectors that GMRES has on average: each is read for the components of the new one, and when
 * they are subtracted. */
static const double mean_basis = (BENCH_SOLVE_RESTART + 1) / 2.0;

static passes passes_of(tulle_method method) {
    switch (method) {
        case TULLE_CG:
            return (passes){.products = 1, .numbers = 10, .scaled = 2, .operations = 10};
        case TULLE_BICGSTAB:
            return (passes){.products = 2, .numbers = 18, .scaled = 5, .operations = 22};
        default:
            return (passes){.products = 1,
                            .numbers = 2 * mean_basis + 3,
                            .scaled = 2,
                            .operations = 4 * mean_basis + 3};
    }
}

static tulle_method method_of(const bench_actor *actor) {
    if (actor == &bench_actor_gmres) return TULLE_GMRES;
    return actor == &bench_actor_cg ? TULLE_CG : TULLE_BICGSTAB;
}

static int asked(const bench_settings *settings) {
    return settings->precond == BENCH_SOLVE_ALL ? (int)BENCH_ALL_DETAILS : settings->precond;
}

static tulle_status choose_definite(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B) {
    return bench_system_of(ctx, A, true, B);
}

static tulle_status choose_any(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B) {
    return bench_system_of(ctx, A, false, B);
}

static tulle_status run_product(void *user) {
    const bench_problem *p = user;
    return tulle_spmv(p->ctx, TULLE_N, tulle_num(1), p->A, p->x, tulle_num(0), p->y);
}

/* The products of an iteration, alone, and what vectors add to the fewest bytes. */
static tulle_status count(bench_problem *p, const bench_given *given) {
    const bench_solve *s = p->own;
    const passes all = passes_of(s->method);
    const double numbers = all.numbers + (p->detail == BENCH_SOLVE_JACOBI ? all.scaled : 0);
    const double n = (double)p->info.rows;
    tulle_choice choice;
    tool_timing timing;
    tulle_status status = tulle_spmv_choice(p->ctx, TULLE_N, p->A, true, &choice);
    if (status == TULLE_OK) {
        status = tool_time_well(p->ctx, &given->budget, run_product, p, &timing);
    }
    if (status != TULLE_OK) return status;
    p->product_ms = all.products * timing.ms;
    p->vector_bytes = (int64_t)(numbers * n * (double)tulle_type_size(p->info.type));
    p->minimal_bytes = all.products * choice.minimal_bytes + p->vector_bytes;
    p->flops = 2 * all.products * (double)p->info.nnz + all.operations * n;
    return TULLE_OK;
}

static tulle_status open_reference(bench_problem *p, const bench_given *given) {
    if (!given->check) return TULLE_OK;
    bench_solve *s = p->own;
    s->b = tool_block_host(p->x);
    tulle_status status = tool_csr_open(p->ctx, given->csr, &s->A);
    return status == TULLE_OK ? tool_block_read(p->ctx, p->x, s->b) : status;
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    bench_solve *s = tool_alloc(1, sizeof *s);
    *s = (bench_solve){.method = method_of(p->actor)};
    p->own = s;
    tulle_dense **const both[] = {&p->x, &p->y};
    tulle_status status = TULLE_OK;
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, both[i]);
    }
    if (status == TULLE_OK) status = tulle_dense_random(p->ctx, p->x, given->seed);
    if (status == TULLE_OK) status = bench_solve_length(p);
    if (status == TULLE_OK) status = count(p, given);
    return status == TULLE_OK ? open_reference(p, given) : status;
}

static void close_problem(bench_problem *p) {
    bench_solve *s = p->own;
    if (!s) return;
    tool_csr_close(&s->A);
    free(s->b);
    free(s);
}

typedef struct own_task {
    const bench_problem *problem;
    bench_solver solver;
} own_task;

static tulle_status in_use(tulle_ctx *ctx, int64_t *bytes) {
    tulle_memory_usage usage;
    tulle_status status = tulle_ctx_synchronize(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &usage);
    if (status == TULLE_OK) *bytes = (int64_t)usage.in_use;
    return status;
}

static tulle_status prepare(const bench_problem *p, bench_task *task) {
    const tulle_solve_options options = bench_solver_endless(p, p->iterations);
    own_task *t = tool_alloc(1, sizeof *t);
    int64_t before = 0, after = 0;
    *t = (own_task){.problem = p};
    task->state = t;
    tulle_status status = in_use(p->ctx, &before);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = bench_solver_open(p, &options, &t->solver);
    if (status != TULLE_OK) {
        free(t);
        return status;
    }
    status = in_use(p->ctx, &after);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    task->extra_bytes = after - before;
    return status;
}

static tulle_status run(void *state) {
    const own_task *t = state;
    const bench_problem *p = t->problem;
    tulle_solve_report report;
    tulle_status status = tulle_solver_run(p->ctx, t->solver.S, p->x, p->y, &report);
    if (status != TULLE_OK || report.iterations == p->iterations) return status;
    return tool_record(TULLE_INVALID_ARGUMENT, "%s ends after other iterations than it did: %s",
                       tulle_method_name(((bench_solve *)p->own)->method),
                       tulle_outcome_text(report.outcome));
}

static void finish(void *state) {
    own_task *t = state;
    bench_solver_close(&t->solver);
    free(t);
}

static tulle_status error_of(const bench_problem *p, void *state, double *units) {
    (void)state;
    return bench_solve_error(p, units);
}

#define ACTOR(method, its_formula, choosing)                                                       \
    const bench_actor bench_actor_##method = {                                                     \
        .name = #method,                                                                           \
        .function = "tulle_solver_run",                                                            \
        .formula = its_formula,                                                                    \
        .iterates = true,                                                                          \
        .detail = BENCH_SOLVE_DETAILS,                                                             \
        .asked = asked,                                                                            \
        .choose = choosing,                                                                        \
        .open = open_problem,                                                                      \
        .close = close_problem,                                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .finish = finish,                                                                          \
        .reset = bench_problem_poison,                                                             \
        .error = error_of,                                                                         \
    };

ACTOR(cg, "A x = b by CG", choose_definite)
ACTOR(bicgstab, "A x = b by BiCGStab", choose_any)
ACTOR(gmres, "A x = b by GMRES(30)", choose_any)
