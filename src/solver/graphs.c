/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of iterations: one of a single iteration and, where the same iterations come again and
 * again, one of as many as come before the first comes again; and a graph of what comes before the
 * first iteration. Between two graphs a device is idle for longer than between two kernels of
 * one, and a launch of the host takes longer than a short kernel. */
#include "comm/comm.h"
#include "solver/solver.h"

/* True when no sum waits. A basis has norms that the host computes where sums are over processes.
 */
static bool sums_are_queued(const tulle_solver *S) {
    if (!S->options.comm) return !S->options.sum;
    return S->options.comm->functions.capturable && !S->basis.V;
}

static bool can_capture(const tulle_solver *S) {
    return S->ctx->kind != TULLE_CPU && sums_are_queued(S) && tulle__linop_is_capturable(S->A) &&
           (!S->M || tulle__linop_is_capturable(S->M));
}

static uint64_t stamp_of(tulle_solver *S) {
    const uint64_t operators = tulle__stamp_join(tulle__linop_stamp(S->ctx, S->A),
                                                 S->M ? tulle__linop_stamp(S->ctx, S->M) : 0);
    const uint64_t units =
        tulle__stamp_join((uint64_t)(int64_t)S->units.A, (uint64_t)(int64_t)S->units.M);
    const uint64_t room = S->options.comm ? (uint64_t)(uintptr_t)S->options.comm->all.data : 0;
    return tulle__stamp_join(tulle__stamp_join(tulle__stamp_join(operators, units), room),
                             (uint64_t)(uintptr_t)S->ctx->workspace);
}

/* The phase of the work before the first iteration. */
enum { PREPARES = -1 };

static tulle_status start(tulle_solver *S, int phase) {
    return phase == PREPARES ? S->method->prepare(S) : S->method->iterate(S, phase);
}

/* Captures iterations only after each of them has run: then all memory that they need is there. */
static tulle_status capture(tulle_solver *S, int phase, int count, tulle__graph_of *to) {
    const tulle__backend *backend = S->ctx->backend;
    tulle_status status = TULLE_OK;
    TULLE__TRY(backend->capture_begin(&S->ctx->place));
    for (int i = 0; i < count && status == TULLE_OK; i++) status = start(S, phase + i);
    const tulle_status ended = backend->capture_end(&S->ctx->place, &to->graph);
    if (status == TULLE_OK) status = ended;
    if (status != TULLE_OK && to->graph) {
        backend->graph_destroy(S->ctx->place.device, to->graph);
        to->graph = NULL;
    }
    return status;
}

/* Gives up graphs of operators that do other work than when they were captured, or that have
 * more memory since their first use. */
void tulle__solver_look_at_graphs(tulle_solver *S) {
    if (!can_capture(S)) return;
    const uint64_t stamp = stamp_of(S);
    if (stamp != S->stamp) tulle__solver_forget_graphs(S);
    S->stamp = stamp;
}

static tulle_status run_one(tulle_solver *S, int phase) {
    tulle__graph_of *g =
        phase == PREPARES ? &S->prepared : S->graphs + tulle__graph_of_phase(S, phase);
    if (g->has_run && !g->graph && can_capture(S)) TULLE__TRY(capture(S, phase, 1, g));
    if (g->graph) return S->ctx->backend->graph_launch(&S->ctx->place, g->graph);
    g->has_run = true;
    TULLE__TRY(start(S, phase));
    tulle__solver_look_at_graphs(S);
    return TULLE_OK;
}

/* A member of several right-hand sides has no graphs. */
tulle_status tulle__solver_prepare(tulle_solver *S) {
    if (!S->graphs) return start(S, PREPARES);
    tulle__solver_look_at_graphs(S);
    return run_one(S, PREPARES);
}

/* Number of iterations of a round where all are alike, and the number of iterations after which
 * a round is worth a graph of its own, which takes longer to make than one iteration's. */
enum { ALIKE = 16, WORTH = 8 * ALIKE };

/* Returns the number of iterations of a round, which has a graph of its own: after a round the same
 * work comes again. 0: it never does, or no graph is worth making yet. */
static int round_of(const tulle_solver *S) {
    if (!can_capture(S) || S->launched < WORTH) return 0;
    if (S->method->goes_round) return S->method->phases(S);
    return S->method->phases(S) == 0 ? (int)ALIKE : 0;
}

static bool has_run(const tulle_solver *S, int round) {
    for (int phase = 0; phase < round; phase++) {
        if (!S->graphs[tulle__graph_of_phase(S, S->method->goes_round ? phase : 0)].has_run)
            return false;
    }
    return true;
}

static tulle_status run_round(tulle_solver *S, int round) {
    if (!S->round.graph) TULLE__TRY(capture(S, 0, round, &S->round));
    return S->ctx->backend->graph_launch(&S->ctx->place, S->round.graph);
}

tulle_status tulle__solver_launch(tulle_solver *S, int phase, int most, int *count) {
    const int round = round_of(S);
    const bool whole = phase == 0 && round > 0 && most >= round && has_run(S, round);

    *count = whole ? round : 1;
    S->launched += *count;
    return whole ? run_round(S, round) : run_one(S, phase);
}
