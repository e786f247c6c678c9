/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations of CG, BiCGStab and GMRES, and solutions with multigrid, whose rows members share. */
#include "bench_calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "trials/amg.h"
#include "trials/amg_task.h"

/* Numbers of iterations are multiples of UNIT, of GMRES of its restart; so many are wanted, within
 * TIMES times the seconds for samples. */
enum { UNIT = 10, WANTED = 200, MOST = 2000, TIMES = 10 };

/* Least ratio of a norm to the norm at the start, below which rounding errors are measured. */
static const double least_norm[] = {[TULLE_F32] = 1e-6, [TULLE_F64] = 1e-14};

/* Norm of the residual at which a whole solution ends, over that of b. */
static const double tolerances[] = {[TULLE_F32] = 1e-5, [TULLE_F64] = 1e-8};

/* A bound that no norm gets below, except 0. */
static const double never = 1e-300;

static void give_up(tool_measured *m) {
    tulle_solver_destroy(m->S);
    tulle_linop_destroy(m->M);
    tulle_linop_destroy(m->L);
    tulle_factor_destroy(m->F);
    m->S = NULL;
    m->L = m->M = NULL;
    m->F = NULL;
}

static tulle_status make_ilu(tool_measured *m) {
    tulle_ctx *ctx = m->member->ctx;
    tulle_status status = tulle_factor_create(ctx, tulle_dist_mat_block(m->A), NULL, &m->F);
    if (status == TULLE_OK) status = tulle_factor_analyse(ctx, TULLE_N, m->F);
    if (status != TULLE_OK) return status;
    return tulle_linop_from_factor(ctx, m->F, m->info.type, &m->M);
}

/* Makes operators; *ms: time that it took the slowest member. */
static tulle_status make_operators(tool_measured *m, int detail, double *ms) {
    tulle_ctx *ctx = m->member->ctx;
    const double start = tulle__seconds();
    tulle_status status = tulle_linop_from_dist(ctx, m->A, &m->L);
    if (status == TULLE_OK && detail == TRIAL_SOLVE_JACOBI) {
        status = tulle_linop_jacobi(ctx, m->L, &m->M);
    }
    if (status == TULLE_OK && detail == TRIAL_SOLVE_ILU) status = make_ilu(m);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    status = tool_member_agree(m->member, status);
    const double own = 1e3 * (tulle__seconds() - start);
    return status == TULLE_OK ? tool_measured_join(m, own, false, ms) : status;
}

/* Solves by a solver of its own. */
static tulle_status follow(tool_measured *m, double tolerance, int64_t most,
                           tulle_solver_report *report) {
    const tulle_solver_options options = {.method = m->by,
                                          .tolerance = tolerance,
                                          .max_iterations = most,
                                          .patience = INT64_MAX,
                                          .restart = TRIAL_SOLVE_RESTART};
    tulle_solver_destroy(m->S);
    m->S = NULL;
    tulle_status status = tulle_solver_create(m->member->ctx, m->L, m->M, &options, &m->S);
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_solver_run(m->member->ctx, m->S, m->x, m->y, report);
    }
    if (status != TULLE_OK || report->outcome == TULLE_CONVERGED ||
        report->outcome == TULLE_MOST_ITERATIONS || report->outcome == TULLE_STAGNATED) {
        return status;
    }
    return tool_record(TULLE_UNSUPPORTED, "%s: %s", tulle_method_name(m->by),
                       tulle_outcome_text(report->outcome));
}

/* Returns the number of iterations that fit into the time, by that of one of the slowest member. */
static tulle_status count_wanted(const tool_measured *m, const tulle_solver_report *r, int64_t unit,
                                 int64_t *count) {
    const double most_ms = 1e3 * TIMES * m->settings->budget.seconds;
    double ms;
    const tulle_status status = tool_measured_join(m, r->solve_ms / (double)unit, false, &ms);
    const double fit = fmin(WANTED, most_ms / fmax(ms, 1e-9));
    *count = fit > (double)unit ? (int64_t)(fit / (double)unit) * unit : unit;
    return status;
}

/* Finds how many iterations a call has, and what is allowed after them. */
static tulle_status settle(tool_measured *m) {
    const int64_t unit = m->by == TULLE_GMRES ? (int64_t)TRIAL_SOLVE_RESTART : (int64_t)UNIT;
    const double least = least_norm[m->info.type];
    tulle_solver_report r;
    int64_t count = unit;
    tulle_status status = follow(m, never, unit, &r);
    if (status == TULLE_OK && r.iterations == unit) status = count_wanted(m, &r, unit, &count);
    if (status == TULLE_OK && count > unit) status = follow(m, least, count, &r);
    if (status != TULLE_OK) return status;
    m->iterations = r.iterations / unit * unit;
    if (m->iterations == 0) {
        return tool_record(TULLE_UNSUPPORTED, "%s is done before iteration %d",
                           tulle_method_name(m->by), (int)unit);
    }
    status = follow(m, never, m->iterations, &r);
    m->allowed = TIMES * r.norm;
    return status;
}

/* Finds how many iterations a solution to the tolerance has. */
static tulle_status settle_whole(tool_measured *m) {
    tulle_solver_report r;
    const tulle_status status = follow(m, tolerances[m->info.type], MOST, &r);
    if (status != TULLE_OK) return status;
    if (r.outcome != TULLE_CONVERGED || r.iterations == 0) {
        return tool_record(TULLE_UNSUPPORTED, "%s with factors: %s", tulle_method_name(m->by),
                           tulle_outcome_text(r.outcome));
    }
    m->iterations = r.iterations;
    m->allowed = r.limit;
    return TULLE_OK;
}

static tulle_status apply_to(tool_measured *m, tulle_linop *L) {
    return tulle_linop_apply(m->member->ctx, TULLE_N, tulle_num(1), L, m->x, tulle_num(0), m->y);
}

static tulle_status apply_A(void *measured) {
    tool_measured *m = measured;
    return apply_to(m, m->L);
}

static tulle_status apply_M(void *measured) {
    tool_measured *m = measured;
    return apply_to(m, m->M);
}

/* Times what is no vector operation of an iteration, alone. */
static tulle_status time_products(const tool_measured *m, trial_problem *p, int products) {
    tool_timing of_A = {.ms = 0}, of_M = {.ms = 0};
    void *user = (void *)(uintptr_t)m;
    tulle_status status = tool_measured_time(m, apply_A, user, &of_A);
    if (status == TULLE_OK && p->whole) status = tool_measured_time(m, apply_M, user, &of_M);
    p->product_ms = products * (of_A.ms + of_M.ms);
    return status;
}

static tulle_status open_method(tool_measured *m, trial_problem *p, bench_row *row) {
    m->by = trial_solve_method(p->operation);
    p->whole = p->detail == TRIAL_SOLVE_ILU;
    const trial_solve_work work = trial_solve_work_of(m->by, p->detail, &p->info);
    tulle_status status = make_operators(m, p->detail, &row->prep_ms);
    if (status == TULLE_OK) status = p->whole ? settle_whole(m) : settle(m);
    if (status == TULLE_OK) status = time_products(m, p, work.products);
    p->iterations = row->iterations = m->iterations;
    p->vector_bytes = work.vector_bytes;
    p->minimal_bytes = work.products * p->minimal_bytes + work.vector_bytes;
    if (!p->whole) p->flops = work.flops;
    return status;
}

static tulle_status iterate(void *measured) {
    const tool_measured *m = measured;
    tulle_solver_report report;
    const tulle_status status = tulle_solver_run(m->member->ctx, m->S, m->x, m->y, &report);
    if (status != TULLE_OK || report.iterations == m->iterations) return status;
    return tool_record(TULLE_INVALID_ARGUMENT, "%s ends after other iterations than it did: %s",
                       tulle_method_name(m->by), tulle_outcome_text(report.outcome));
}

/* Finds |b - A x| in units of what is allowed and of rounding errors of the iterations, a few of
 * |A| |x| + |b| for each, as trials/solve_check.c has them. */
static tulle_status method_error(tool_measured *m, double *units) {
    enum { FEW = 10 };
    const double unit = m->info.type == TULLE_F32 ? 0x1p-24 : 0x1p-53;
    char *b = tool_block_host(m->x), *x = tool_block_host(m->y);
    double residual, b_norm, mass;
    tulle_status status = tool_block_read(m->member->ctx, m->x, b);
    if (status == TULLE_OK) status = tool_block_read(m->member->ctx, m->y, x);
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) {
        status = tool_shared_rows_mass(&m->rows, b, x, &residual, &b_norm, &mass);
    }
    if (status == TULLE_OK) {
        const double carried = FEW * (double)(m->iterations + 1) * unit * mass;
        *units = residual / (m->allowed + carried);
        if (isnan(*units)) *units = (double)INFINITY;
    }
    free(b);
    free(x);
    return status;
}

static tulle_status name_method(const tool_measured *m, bench_row *row) {
    (void)m;
    snprintf(row->kernel, sizeof row->kernel, "%s", "tulle_solver_run");
    return TULLE_OK;
}

/* Chooses the method, as tulle_dist_solve finds A symmetric or not. */
static tulle_status choose_method(tool_measured *m) {
    const tulle_solve_options way = {.precond = "amg"};
    const tulle_status status =
        tulle_dist_solve(m->member->ctx, m->A, m->x, m->y, &way, &m->report);
    m->by = m->report.facts.symmetric ? TULLE_CG : TULLE_FGMRES;
    return status;
}

/* Makes the hierarchy and a solver anew; *ms: time of the slowest member. */
static tulle_status set_up(tool_measured *m, double *ms) {
    tulle_ctx *ctx = m->member->ctx;
    const tulle_solver_options options = {
        .method = m->by, .tolerance = tolerances[m->info.type], .restart = TRIAL_SOLVE_RESTART};
    double here;
    give_up(m);
    tulle_status status = tulle_ctx_synchronize(ctx);
    if (status == TULLE_OK) status = tool_measured_join(m, 0, false, &here); /* all are here */
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = tulle_linop_from_dist(ctx, m->A, &m->L);
    if (status == TULLE_OK) {
        status = tulle_amg_create_dist(ctx, m->A, &m->settings->hierarchy.options, &m->M);
    }
    if (status == TULLE_OK) status = tulle_solver_create(ctx, m->L, m->M, &options, &m->S);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    const double own = 1e3 * (tulle__seconds() - start);
    return status == TULLE_OK ? tool_measured_join(m, own, false, ms) : status;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Notes the bytes that a setup holds in all members, and the most that it holds meanwhile. */
static tulle_status find_memory(tool_measured *m, double A_bytes, bench_row *row) {
    tulle_ctx *ctx = m->member->ctx;
    tulle_memory_usage before = {0}, after = {0};
    double ms, held = 0, peak = 0;
    int64_t bytes = 0;
    give_up(m);
    tulle_status status = tulle_ctx_trim(ctx);
    if (status == TULLE_OK) status = tulle_ctx_reset_high(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &before);
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) status = set_up(m, &ms);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &after);
    if (status == TULLE_OK) {
        status = trial_amg_describe(m->M, row->prep_ms, &bytes, &row->values);
    }
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) status = tool_measured_join(m, (double)bytes, true, &held);
    if (status == TULLE_OK) {
        status = tool_measured_join(m, (double)(after.high - before.in_use), true, &peak);
    }
    row->extra_bytes = (int64_t)held;
    row->values.of[TRIAL_AMG_HELD] = held / A_bytes;
    row->values.of[TRIAL_AMG_PEAK] = peak / A_bytes;
    return status;
}

static tulle_status converge(tool_measured *m, trial_values *values) {
    tulle_solver_report r;
    const tulle_status status = tulle_solver_run(m->member->ctx, m->S, m->x, m->y, &r);
    if (status != TULLE_OK) return status;
    if (r.outcome != TULLE_CONVERGED) {
        return tool_record(TULLE_UNSUPPORTED, "multigrid with %s: %s", tulle_method_name(m->by),
                           tulle_outcome_text(r.outcome));
    }
    m->allowed = r.limit;
    values->of[TRIAL_AMG_ITERATIONS] = (double)r.iterations;
    if (r.iterations > 0) {
        values->of[TRIAL_AMG_FACTOR] = pow(r.norm / r.start_norm, 1 / (double)r.iterations);
    }
    return TULLE_OK;
}

static tulle_status open_multigrid(tool_measured *m, trial_problem *p, bench_row *row) {
    double ms[TRIAL_AMG_SETUPS];
    tool_timing cycle = {.ms = 0};
    p->whole = true;
    trial_values_forget(&row->values);
    tulle_status status = choose_method(m);
    for (int i = 0; i < TRIAL_AMG_SETUPS && status == TULLE_OK; i++) status = set_up(m, ms + i);
    if (status != TULLE_OK) return status;
    qsort(ms, TRIAL_AMG_SETUPS, sizeof *ms, by_size);
    row->prep_ms = ms[TRIAL_AMG_SETUPS / 2];
    const double size = (double)tulle_type_size(m->info.type);
    const double A_bytes = (double)m->info.nnz * (4 + size) + 4 * (double)(m->info.rows + 1);
    status = find_memory(m, A_bytes, row);
    if (status == TULLE_OK) status = converge(m, &row->values);
    if (status == TULLE_OK) status = tool_measured_time(m, apply_M, m, &cycle);
    row->values.of[TRIAL_AMG_CYCLE] = cycle.ms;
    return status;
}

static tulle_status solve(void *measured) {
    tool_measured *m = measured;
    trial_values values;
    return converge(m, &values);
}

static tulle_status name_multigrid(const tool_measured *m, bench_row *row) {
    const char *text = m->settings->hierarchy.text;
    snprintf(row->kernel, sizeof row->kernel, "%s", "tulle_amg_create_dist");
    snprintf(row->params, sizeof row->params, "%s", text ? text : "");
    return TULLE_OK;
}

const tool_call_kind tool_call_method = {.open = open_method,
                                         .call = iterate,
                                         .error = method_error,
                                         .name = name_method,
                                         .close = give_up};

const tool_call_kind tool_call_multigrid = {.open = open_multigrid,
                                            .call = solve,
                                            .error = method_error,
                                            .name = name_multigrid,
                                            .close = give_up};
