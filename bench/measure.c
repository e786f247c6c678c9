/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/acting.h"
#include "bench/graph.h"
#include "core/stopwatch.h"
#include "tools/common/error.h"

static bool reads_y(const bench_row *row) {
    return row->variant->choice == BENCH_PEER && row->variant->peer->peer->reads_y;
}

/* Of a product: what nobody writes is seen. */
static tulle_status spoil_product(const bench_problem *p, const bench_row *row) {
    return reads_y(row) ? bench_problem_fill_far(p) : bench_problem_poison(p);
}

/* As it must be before a call whose result is checked. */
static tulle_status reset_action(const bench_problem *p, const bench_row *row) {
    tulle_status status = p->actor->reset(p);
    return status == TULLE_OK && reads_y(row) ? bench_problem_fill_far(p) : status;
}

/* The call that is measured, with the checks around it. */
static tulle_status check_and_time_product(const bench_problem *p, const tool_budget *budget,
                                           tool_call call, void *user, bench_row *row) {
    double first = 0, last = 0;
    tulle_status status = spoil_product(p, row);
    if (status == TULLE_OK) status = call(user);
    if (status == TULLE_OK) status = bench_problem_error(p, &first);
    if (status == TULLE_OK) status = tool_time_well(p->ctx, budget, call, user, &row->timing);
    if (status == TULLE_OK) status = bench_problem_error(p, &last);
    row->err = first > last ? first : last;
    return status;
}

/* A call of an iterative method has many iterations. */
static void share_out(bench_row *row) {
    if (row->iterations > 0) tool_timing_share(&row->timing, row->iterations);
}

/* The same of an action: looked at once, after all others. own: tulle's state, or NULL. */
static tulle_status time_and_check(const bench_problem *p, const tool_budget *budget,
                                   tool_call call, void *user, void *own, bench_row *row) {
    const bool captured = bench_acting_captured(p);
    tulle_status status = reset_action(p, row);
    if (status == TULLE_OK && captured) {
        status = bench_graph_time(p->ctx, budget, call, user, &row->timing);
    } else if (status == TULLE_OK) {
        status = tool_time_well(p->ctx, budget, call, user, &row->timing);
    }
    share_out(row);
    if (status == TULLE_OK) status = reset_action(p, row);
    if (status == TULLE_OK) status = captured ? bench_graph_call(p->ctx, call, user) : call(user);
    return status == TULLE_OK ? p->actor->error(p, own, &row->err) : status;
}

/* tulle_spmv or tulle_spmm on a matrix: the problem's, or a copy of it that has a plan. */
typedef struct product {
    const bench_problem *problem;
    const tulle_mat *A;
} product;

static tulle_status run_product(void *user) {
    const product *call = user;
    const bench_problem *p = call->problem;
    tulle_scalar one = tulle_num(1), zero = tulle_num(0);
    if (bench_is_block(&p->block)) {
        return tulle_spmm(p->ctx, p->trans, one, call->A, p->x, zero, p->y);
    }
    return tulle_spmv(p->ctx, p->trans, one, call->A, p->x, zero, p->y);
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

static tulle_status measure_product(const bench_problem *p, const tulle_mat *A,
                                    const tool_budget *budget, const tulle_memory_usage *before,
                                    bench_row *row) {
    tulle_choice choice;
    tulle_status status = bench_problem_choice(p, A, &choice);
    if (status != TULLE_OK) return status;
    snprintf(row->kernel, sizeof row->kernel, "%s", choice.kernel);
    snprintf(row->params, sizeof row->params, "%s", choice.params);
    row->kernel_bytes = choice.kernel_bytes;
    row->cost_bytes = choice.cost_bytes;
    row->threads = p->device.threads;
    product call = {.problem = p, .A = A};
    status = run_product(&call);
    if (status == TULLE_OK) {
        status = extra_memory(p->ctx, before, choice.workspace_bytes, &row->extra_bytes);
    }
    if (status != TULLE_OK) return status;
    return check_and_time_product(p, budget, run_product, &call, row);
}

static tulle_status measure_unplanned(const bench_problem *p, const tool_budget *budget,
                                      bench_row *row) {
    const char *spec = row->variant->choice == BENCH_FORCED ? row->variant->spec : NULL;
    tulle_memory_usage before;
    tulle_status status = tulle_ctx_force_kernel(p->ctx, spec);
    if (status == TULLE_OK) status = start_memory(p->ctx, &before);
    if (status == TULLE_OK) status = measure_product(p, p->A, budget, &before, row);
    tulle_status released = tulle_ctx_force_kernel(p->ctx, NULL);
    return status != TULLE_OK ? status : released;
}

static tulle_status plan(const bench_problem *p, const bench_variant *variant, tulle_mat *A) {
    const char *spec = variant->spec;
    if (variant->choice == BENCH_PLAN) {
        return tulle_mat_plan(p->ctx, A, p->trans, spec[0] ? spec : NULL);
    }
    return tulle_mat_optimize_with(p->ctx, A, p->trans, NULL, NULL);
}

/* A plan on a new matrix, for what a plan leaves with a pattern would speed up the next one. */
static tulle_status plan_anew(const bench_problem *p, const bench_variant *variant, tulle_mat **A,
                              tulle_memory_usage *before, double *ms) {
    tulle_status status = tulle_mat_convert(p->ctx, p->A, p->info.format, p->info.index, 0, A);
    if (status == TULLE_OK) status = start_memory(p->ctx, before);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    double start = tulle__seconds();
    if (status == TULLE_OK) status = plan(p, variant, *A);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    *ms = 1e3 * (tulle__seconds() - start);
    return status;
}

/* The second plan is the one that counts: the first may load code and fill the pool. */
static tulle_status measure_planned(const bench_problem *p, const tool_budget *budget,
                                    bench_row *row) {
    tulle_memory_usage before;
    tulle_mat *A = NULL;
    tulle_status status = plan_anew(p, row->variant, &A, &before, &row->prep_ms);
    tulle_mat_destroy(A);
    A = NULL;
    if (status == TULLE_OK) {
        status = plan_anew(p, row->variant, &A, &before, &row->prep_ms);
    }
    if (status == TULLE_OK) status = measure_product(p, A, budget, &before, row);
    tulle_mat_destroy(A);
    return status;
}

/* What only products have. */
static void leave_out_models(bench_row *row) {
    row->kernel_bytes = -1;
    row->cost_bytes = (double)NAN;
}

/* Preparation a second time, for the reason above. */
static tulle_status prepare_own(const bench_problem *p, bench_task *task) {
    tulle_status status = p->actor->prepare(p, task);
    if (status != TULLE_OK || (task->prep_ms <= 0 && task->convert_ms <= 0)) return status;
    p->actor->finish(task->state);
    return p->actor->prepare(p, task);
}

typedef struct conversion {
    const bench_problem *problem;
    void *state;
    bool is; /* whether there is any */
} conversion;

static tulle_status convert(void *user) {
    conversion *c = user;
    return c->problem->actor->convert(c->state, &c->is);
}

/* What a call begins with is also timed alone. */
static tulle_status time_conversion(const bench_problem *p, const tool_budget *budget, void *state,
                                    bench_row *row) {
    tool_timing timing = {0};
    conversion c = {.problem = p, .state = state};
    if (!p->actor->convert) return TULLE_OK;
    tulle_status status = convert(&c);
    if (status != TULLE_OK || !c.is) return status;
    status = tool_time_well(p->ctx, budget, convert, &c, &timing);
    row->convert_ms = timing.ms;
    return status;
}

static tulle_status act(const bench_problem *p, const tool_budget *budget, bench_row *row) {
    bench_task task = {.threads = p->device.threads};
    tulle_status status = prepare_own(p, &task);
    if (status != TULLE_OK) return status;
    row->iterations = p->iterations;
    status = time_and_check(p, budget, p->actor->run, task.state, task.state, row);
    if (status == TULLE_OK) status = time_conversion(p, budget, task.state, row);
    if (task.convert_ms > 0) row->convert_ms = task.convert_ms;
    row->prep_ms = task.prep_ms;
    row->extra_bytes = task.extra_bytes;
    row->threads = p->device.threads;
    leave_out_models(row);
    p->actor->finish(task.state);
    return status;
}

/* The parts of "NAME:params". */
static void name_forced(const char *spec, bench_row *row) {
    size_t name = strcspn(spec, ":");
    snprintf(row->kernel, sizeof row->kernel, "%.*s", (int)name, spec);
    snprintf(row->params, sizeof row->params, "%s", spec[name] ? spec + name + 1 : "");
}

static tulle_status measure_action(const bench_problem *p, const tool_budget *budget,
                                   bench_row *row) {
    const char *spec = row->variant->choice == BENCH_FORCED ? row->variant->spec : NULL;
    name_forced(spec ? spec : p->actor->function, row);
    tulle_status status = tulle_ctx_force_kernel(p->ctx, spec);
    if (status == TULLE_OK) status = act(p, budget, row);
    tulle_status released = tulle_ctx_force_kernel(p->ctx, NULL);
    return status != TULLE_OK ? status : released;
}

/* As of tulle's own. */
static tulle_status prepare_peer(const bench_peer *peer, const bench_problem *p, bench_task *task) {
    tulle_status status = peer->prepare(peer, p, task);
    if (status != TULLE_OK || task->prep_ms <= 0) return status;
    peer->close(task->state);
    return peer->prepare(peer, p, task);
}

static tulle_status time_product_elsewhere(const bench_peer *peer, const bench_problem *p,
                                           void *state, const tool_budget *budget, bench_row *row) {
    tulle_status status = spoil_product(p, row);
    if (status == TULLE_OK) status = peer->measure(state, budget, &row->timing);
    return status == TULLE_OK ? bench_problem_error(p, &row->err) : status;
}

static tulle_status time_action_elsewhere(const bench_peer *peer, const bench_problem *p,
                                          void *state, const tool_budget *budget, bench_row *row) {
    tulle_status status = reset_action(p, row);
    if (status == TULLE_OK) status = peer->measure(state, budget, &row->timing);
    share_out(row);
    if (status != TULLE_OK) return status;
    return peer->error ? peer->error(state, &row->err) : p->actor->error(p, NULL, &row->err);
}

static tulle_status time_peer(const bench_peer *peer, const bench_problem *p, void *state,
                              const tool_budget *budget, bench_row *row) {
    bool here = peer->run != NULL;
    if (p->actor) {
        return here ? time_and_check(p, budget, peer->run, state, NULL, row)
                    : time_action_elsewhere(peer, p, state, budget, row);
    }
    return here ? check_and_time_product(p, budget, peer->run, state, row)
                : time_product_elsewhere(peer, p, state, budget, row);
}

static tulle_status measure_peer(const bench_problem *p, const tool_budget *budget,
                                 bench_row *row) {
    const bench_peer *peer = row->variant->peer->peer;
    snprintf(row->kernel, sizeof row->kernel, "%s", peer->name);
    bench_task task = {.state = NULL};
    tulle_status status = prepare_peer(peer, p, &task);
    if (status != TULLE_OK) return status;
    row->iterations = task.iterations > 0 ? task.iterations : p->iterations;
    status = time_peer(peer, p, task.state, budget, row);
    row->prep_ms = task.prep_ms;
    row->extra_bytes = task.extra_bytes;
    row->threads = task.threads;
    leave_out_models(row);
    peer->close(task.state);
    return status;
}

tulle_status bench_measure(const bench_problem *problem, const bench_variant *variant,
                           const tool_budget *budget, bench_row *row) {
    row->problem = problem;
    row->variant = variant;
    switch (variant->choice) {
        case BENCH_PEER:
            return measure_peer(problem, budget, row);
        case BENCH_PLAN:
        case BENCH_OPTIMISE:
            return measure_planned(problem, budget, row);
        default:
            return problem->actor ? measure_action(problem, budget, row)
                                  : measure_unplanned(problem, budget, row);
    }
}
