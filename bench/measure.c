/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/graph.h"
#include "bench/make.h"
#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "trials/operation.h"

static bool reads_y(const bench_row *row) {
    return row->variant->choice == TRIAL_PEER && row->variant->peer->peer->reads_y;
}

/* Sets the problem's result back to what stands there before a call whose result is checked. */
static tulle_status reset(const trial_problem *p, const bench_row *row) {
    tulle_status status = trial_problem_reset(p);
    return status == TULLE_OK && reads_y(row) ? trial_problem_fill_far(p) : status;
}

/* Divides the times by the iterations of a call, where the method is iterative. */
static void share_out(bench_row *row) {
    if (row->iterations > 0) tool_timing_share(&row->timing, row->iterations);
}

static bool is_checked(const trial_problem *p) {
    return p->checked || p->check;
}

/* Times calls, and checks the result of one more, or of the only one. `own` is tulle's state of the
 * task; NULL for a peer. */
static tulle_status time_and_check(const trial_problem *p, const tool_budget *budget,
                                   tool_call call, void *user, void *own, bench_row *row) {
    const bool captured = trial_problem_captured(p);
    tulle_status status = reset(p, row);
    if (status == TULLE_OK && captured) {
        status = bench_graph_time(p->ctx, budget, call, user, &row->timing);
    } else if (status == TULLE_OK) {
        status = tool_time_well(p->ctx, budget, call, user, &row->timing);
    }
    share_out(row);
    if (status != TULLE_OK || !is_checked(p)) return status;
    if (captured || !row->timing.once) {
        status = reset(p, row);
        if (status == TULLE_OK) {
            status = captured ? bench_graph_call(p->ctx, call, user) : call(user);
        }
    }
    return status == TULLE_OK ? p->operation->error(p, own, &row->err) : status;
}

/* Notes the kernel that the library says it runs; only products can be asked for their kernel. */
static void note_choice(const tulle_choice *choice, bench_row *row) {
    row->kernel_bytes = -1;
    row->cost_bytes = (double)NAN;
    if (!choice->kernel) return;
    snprintf(row->kernel, sizeof row->kernel, "%s", choice->kernel);
    snprintf(row->params, sizeof row->params, "%s", choice->params);
    row->kernel_bytes = choice->kernel_bytes;
    row->cost_bytes = choice->cost_bytes;
}

/* Prepares twice: the second preparation is the one that counts, since the first may load code and
 * fill the pool. */
static tulle_status prepare_own(const trial_problem *p, trial_task *task) {
    tulle_status status = p->operation->prepare(p, task);
    if (status != TULLE_OK || p->operation->warms_up) return status;
    if (task->prep_ms <= 0 && task->convert_ms <= 0) return TULLE_OK;
    p->operation->finish(task->state);
    return p->operation->prepare(p, task);
}

typedef struct conversion {
    const trial_problem *problem;
    void *state;
    bool is; /* the call does convert something */
} conversion;

static tulle_status convert(void *user) {
    conversion *c = user;
    return c->problem->operation->convert(c->state, &c->is);
}

/* Times the conversion that each call begins with, alone. */
static tulle_status time_conversion(const trial_problem *p, const tool_budget *budget, void *state,
                                    bench_row *row) {
    tool_timing timing = {0};
    conversion c = {.problem = p, .state = state};
    if (!p->operation->convert) return TULLE_OK;
    tulle_status status = convert(&c);
    if (status != TULLE_OK || !c.is) return status;
    status = tool_time_well(p->ctx, budget, convert, &c, &timing);
    row->convert_ms = timing.ms;
    return status;
}

static tulle_status act(const trial_problem *p, const tool_budget *budget, bench_row *row) {
    trial_task task = {
        .by = row->variant->choice, .spec = row->variant->spec, .threads = p->device.threads};
    tulle_status status = prepare_own(p, &task);
    if (status != TULLE_OK) return status;
    row->iterations = p->iterations;
    status = time_and_check(p, budget, p->operation->run, task.state, task.state, row);
    if (status == TULLE_OK) status = time_conversion(p, budget, task.state, row);
    if (task.convert_ms > 0) row->convert_ms = task.convert_ms;
    row->prep_ms = task.prep_ms;
    row->extra_bytes = task.extra_bytes;
    row->threads = p->device.threads;
    row->values = task.values;
    note_choice(&task.choice, row);
    p->operation->finish(task.state);
    return status;
}

/* Splits "NAME:params" into the row's kernel and parameters. */
static void name_forced(const char *spec, bench_row *row) {
    size_t name = strcspn(spec, ":");
    snprintf(row->kernel, sizeof row->kernel, "%.*s", (int)name, spec);
    snprintf(row->params, sizeof row->params, "%s", spec[name] ? spec + name + 1 : "");
}

static tulle_status measure_own(const trial_problem *p, const tool_budget *budget, bench_row *row) {
    const char *spec = row->variant->choice == TRIAL_FORCED ? row->variant->spec : NULL;
    name_forced(spec ? spec : p->operation->function, row);
    tulle_status status = tulle_ctx_force_kernel(p->ctx, spec);
    if (status == TULLE_OK) status = act(p, budget, row);
    tulle_status released = tulle_ctx_force_kernel(p->ctx, NULL);
    return status != TULLE_OK ? status : released;
}

/* Prepares a peer twice, as prepare_own does for tulle. */
static tulle_status prepare_peer(const bench_peer *peer, const trial_problem *p, trial_task *task) {
    tulle_status status = peer->prepare(peer, p, task);
    if (status != TULLE_OK || task->prep_ms <= 0) return status;
    peer->close(task->state);
    return peer->prepare(peer, p, task);
}

static tulle_status time_elsewhere(const bench_peer *peer, const trial_problem *p, void *state,
                                   const tool_budget *budget, bench_row *row) {
    tulle_status status = reset(p, row);
    if (status == TULLE_OK) status = peer->measure(state, budget, &row->timing);
    share_out(row);
    if (status != TULLE_OK || !is_checked(p)) return status;
    return peer->error ? peer->error(state, &row->err) : p->operation->error(p, NULL, &row->err);
}

static tulle_status time_peer(const bench_peer *peer, const trial_problem *p, void *state,
                              const tool_budget *budget, bench_row *row) {
    return peer->run ? time_and_check(p, budget, peer->run, state, NULL, row)
                     : time_elsewhere(peer, p, state, budget, row);
}

static tulle_status measure_peer(const trial_problem *p, const tool_budget *budget,
                                 bench_row *row) {
    const bench_peer *peer = row->variant->peer->peer;
    snprintf(row->kernel, sizeof row->kernel, "%s", peer->name);
    trial_task task = {.state = NULL};
    tulle_status status = prepare_peer(peer, p, &task);
    if (status != TULLE_OK) return status;
    row->iterations = task.iterations > 0 ? task.iterations : p->iterations;
    status = time_peer(peer, p, task.state, budget, row);
    row->prep_ms = task.prep_ms;
    row->extra_bytes = task.extra_bytes;
    row->threads = task.threads;
    row->values = task.values;
    note_choice(&task.choice, row);
    peer->close(task.state);
    return status;
}

tulle_status bench_measure(const trial_problem *problem, const bench_variant *variant,
                           const tool_budget *budget, bench_row *row) {
    row->problem = problem;
    row->variant = variant;
    row->err = (double)NAN;
    if (problem->operation->makes) return bench_make(row, budget);
    return variant->choice == TRIAL_PEER ? measure_peer(problem, budget, row)
                                         : measure_own(problem, budget, row);
}
