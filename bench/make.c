/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/fresh.h"
#include "tools/common/error.h"
#include "trials/making.h"

enum { REPORTS = 3 };

/* Checks this C, tulle's own or a peer's, and keeps the worse of the earlier verdict and this one.
 */
static tulle_status verify(bench_row *row, trial_made *made, bool own) {
    double units = 0;
    const tulle_status status = own ? row->problem->operation->error(row->problem, made, &units)
                                    : trial_making_judge(made, false, &units);
    if (status != TULLE_OK) return status;
    row->made.nnz = made->nnz;
    if (isnan(units) || units > row->err) row->err = units;
    row->made.sorted = row->made.sorted && made->sorted;
    return TULLE_OK;
}

/* Calls of tulle's own, as bench_fresh takes them. */
typedef struct own_call {
    const trial_problem *problem;
    trial_made *made;
    bool pooled;
} own_call;

/* Gives back all memory that the context keeps where the variant has no pool, so that nothing left
 * by earlier calls serves this one. On a CPU the context keeps its blocks, as peers keep theirs:
 * the library of a peer cannot be told to forget them, and new pages take longer than a short
 * product.
 */
static tulle_status forget(void *user) {
    const own_call *call = user;
    const bool keeps = call->pooled || call->problem->device.backend == TULLE_CPU;
    return keeps ? TULLE_OK : tulle_ctx_trim(call->problem->ctx);
}

static tulle_status make_own(void *user) {
    const own_call *call = user;
    return call->problem->operation->run(call->made);
}

static void drop_own(void *user) {
    const own_call *call = user;
    call->problem->operation->drop(call->made);
}

/* Makes the first call and checks its C; the most memory that the call held comes from the
 * context's own count. */
static tulle_status make_first(own_call *call, bench_row *row) {
    tulle_ctx *ctx = call->problem->ctx;
    tulle_memory_usage before, after;
    tulle_status status = forget(call);
    if (status == TULLE_OK) status = tulle_ctx_reset_high(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &before);
    if (status == TULLE_OK) status = make_own(call);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &after);
    if (status == TULLE_OK) row->made.peak_bytes = (int64_t)(after.high - before.in_use);
    if (status == TULLE_OK) status = verify(row, call->made, true);
    drop_own(call);
    return status;
}

static void put_in_order(tulle_spgemm_report reports[REPORTS]) {
    for (int i = 1; i < REPORTS; i++) {
        for (int j = i; j > 0 && reports[j].total_ms < reports[j - 1].total_ms; j--) {
            tulle_spgemm_report other = reports[j];
            reports[j] = reports[j - 1];
            reports[j - 1] = other;
        }
    }
}

/* Fills in the phases. A call that waits after each phase, to time it, is slower than a call that
 * is timed whole: so the phases come from further calls, the median of them by total time. */
static tulle_status make_reported(own_call *call, bench_row *row) {
    tulle_spgemm_report reports[REPORTS];
    for (int i = 0; i < REPORTS; i++) {
        call->made->report = &reports[i];
        tulle_status status = forget(call);
        if (status == TULLE_OK) status = make_own(call);
        drop_own(call);
        if (status != TULLE_OK) return status;
    }
    put_in_order(reports);
    const tulle_spgemm_report *median = &reports[REPORTS / 2];
    trial_making_values(median, &row->values);
    row->made.reported = true;
    snprintf(row->kernel, sizeof row->kernel, "%s", median->kernel);
    snprintf(row->params, sizeof row->params, "%s", median->params);
    row->made.peak_bytes = median->peak_bytes;
    return TULLE_OK;
}

static tulle_status measure_task(own_call *call, const tool_budget *budget, bench_row *row) {
    tulle_ctx *ctx = call->problem->ctx;
    const bench_fresh fresh = {
        .ctx = ctx, .before = forget, .make = make_own, .drop = drop_own, .user = call};
    tulle_status status = make_first(call, row);
    if (status == TULLE_OK) status = bench_fresh_time(&fresh, budget, &row->timing);
    if (status == TULLE_OK) status = verify(row, call->made, true);
    drop_own(call);
    const bool reports = call->problem->operation->fields != NULL;
    return status == TULLE_OK && reports ? make_reported(call, row) : status;
}

static tulle_status measure_forced(const tool_budget *budget, bench_row *row) {
    const trial_problem *p = row->problem;
    trial_task task = {.threads = 0};
    tulle_status status = p->operation->prepare(p, &task);
    if (status != TULLE_OK) return status;
    row->threads = task.threads;
    own_call call = {.problem = p, .made = task.state, .pooled = row->variant->pooled};
    status = measure_task(&call, budget, row);
    p->operation->finish(task.state);
    return status;
}

/* Names the kernel that was asked for, with its parameters, else the call; a report of the call has
 * the last word. */
static void name_kernel(bench_row *row, const char *spec) {
    const char *name = spec ? spec : row->problem->operation->function;
    const size_t length = strcspn(name, ":");
    snprintf(row->kernel, sizeof row->kernel, "%.*s", (int)length, name);
    snprintf(row->params, sizeof row->params, "%s", name[length] ? name + length + 1 : "");
}

static tulle_status measure_own(const tool_budget *budget, bench_row *row) {
    const trial_problem *p = row->problem;
    const char *spec = row->variant->choice == TRIAL_FORCED ? row->variant->spec : NULL;
    name_kernel(row, spec);
    tulle_status status = tulle_ctx_force_kernel(p->ctx, spec);
    if (status == TULLE_OK) status = measure_forced(budget, row);
    tulle_status released = tulle_ctx_force_kernel(p->ctx, NULL);
    return status != TULLE_OK ? status : released;
}

/* One call of a peer's, as bench_fresh takes it. */
typedef struct peer_call {
    const bench_peer_maker *peer;
    void *state;
    bool pooled;
} peer_call;

static tulle_status make_peers(void *user) {
    const peer_call *call = user;
    return call->peer->make(call->state, call->pooled);
}

static void drop_peers(void *user) {
    const peer_call *call = user;
    call->peer->drop(call->state);
}

static tulle_status verify_peers(const peer_call *call, bench_row *row) {
    trial_made made = {.making = trial_making_of(row->problem)};
    tulle_status status = call->peer->take(call->state, &made.C);
    if (status == TULLE_OK) status = verify(row, &made, false);
    tulle_mat_destroy(made.C);
    tulle_status trimmed = tulle_ctx_trim(row->problem->ctx);
    return status == TULLE_OK ? trimmed : status;
}

/* Times a peer's calls and checks the first and the last C. */
static tulle_status run_peer(peer_call *call, const tool_budget *budget, bench_row *row) {
    if (call->peer->measure) {
        tulle_status status = call->peer->measure(call->state, budget, &row->timing);
        return status == TULLE_OK ? verify_peers(call, row) : status;
    }
    tulle_status status = make_peers(call);
    if (status == TULLE_OK) status = verify_peers(call, row);
    drop_peers(call);
    const bench_fresh fresh = {
        .ctx = row->problem->ctx, .make = make_peers, .drop = drop_peers, .user = call};
    if (status == TULLE_OK) status = bench_fresh_time(&fresh, budget, &row->timing);
    if (status != TULLE_OK) return status;
    status = verify_peers(call, row);
    drop_peers(call);
    return status;
}

static tulle_status measure_peer(const tool_budget *budget, bench_row *row) {
    const bench_peer *peer = row->variant->peer->peer;
    snprintf(row->kernel, sizeof row->kernel, "%s", peer->name);
    if (trial_making_of(row->problem)->cap > 0 && !peer->maker->capped) {
        return tool_record(TULLE_UNSUPPORTED, "%s: its memory cannot be capped", peer->name);
    }
    trial_task task = {0};
    tulle_status status = tulle_ctx_trim(row->problem->ctx);
    if (status == TULLE_OK) status = peer->maker->open(peer, trial_making_of(row->problem), &task);
    if (status != TULLE_OK) return status;
    peer_call call = {.peer = peer->maker, .state = task.state, .pooled = row->variant->pooled};
    status = run_peer(&call, budget, row);
    row->made.peak_bytes = peer->maker->peak(task.state);
    bool had_some = row->made.peak_bytes <
                    trial_making_result_bytes(trial_making_of(row->problem), row->made.nnz);
    /* the library kept memory from earlier calls, so the peak says nothing */
    if (had_some) row->made.peak_bytes = -1;
    row->threads = task.threads;
    peer->maker->close(task.state);
    return status;
}

tulle_status bench_make(bench_row *row, const tool_budget *budget) {
    const bool peer = row->variant->choice == TRIAL_PEER;
    row->err = 0;
    row->made = (bench_made){.peak_bytes = -1, .sorted = true};
    trial_values_forget(&row->values);
    return peer ? measure_peer(budget, row) : measure_own(budget, row);
}
