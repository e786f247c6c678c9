/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/tuning_solve.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"

/* So many of the exhaustive search's fastest points are measured once more, since the least of a
 * few times is not the median of many. */
enum { FINALISTS = 5 };

/* Returns the number of a specification in the list, and adds the specification if it is new. */
static int number_of(bench_tuning *t, const char *spec) {
    for (int i = 0; i < t->tuned_count; i++) {
        if (strcmp(t->tuned[i].variant.spec, spec) == 0) return i;
    }
    if (t->tuned_count == BENCH_TUNED) return BENCH_TUNED - 1;
    bench_tuned *tuned = &t->tuned[t->tuned_count];
    tuned->variant.choice = TRIAL_FORCED;
    snprintf(tuned->variant.spec, sizeof tuned->variant.spec, "%s", spec);
    snprintf(tuned->variant.request, sizeof tuned->variant.request, "forced %s", spec);
    return t->tuned_count++;
}

/* Makes one call as a solver makes it: other work comes before the call, and a look at the result
 * after it. */
static tulle_status call_tuner(const trial_problem *p, tulle_tuner *tuner, tulle_tuner_info *info) {
    tulle_status status = tulle_vec_fill(p->ctx, p->y, 0);
    if (status == TULLE_OK) {
        status = tulle_tuner_spmv(tuner, p->trans, tulle_num(1), p->A, p->x, tulle_num(0), p->y);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    return status == TULLE_OK ? tulle_tuner_describe(tuner, p->trans, p->A, info) : status;
}

tulle_status bench_tuning_note(bench_tuning *t, tulle_tuner *tuner, const tulle_tuner_info *before,
                               const tulle_tuner_info *after) {
    const trial_problem *p = t->problem;
    bench_call_made *call = &t->call[t->calls++];
    if (after->settled && !before->settled) t->settled = t->calls;
    call->ran = number_of(t, before->best[0] ? before->best : after->best);
    call->best = number_of(t, after->best);
    if (after->steps == before->steps) return TULLE_OK;
    tulle_tuner_step step;
    tulle_status status = tulle_tuner_path(tuner, p->trans, p->A, after->steps - 1, &step);
    if (status != TULLE_OK) return status;
    call->ran = number_of(t, step.spec);
    call->ms = step.ms;
    call->counts = step.counts;
    return TULLE_OK;
}

static tulle_status go_online(bench_tuning *t, tulle_tuner *tuner, int64_t calls) {
    tulle_tuner_info before = {.best = ""}, after = before;
    int64_t most = calls > 0 && calls < BENCH_CALLS ? calls : BENCH_CALLS;
    while (t->calls < most && !(calls == 0 && after.settled)) {
        tulle_status status = call_tuner(t->problem, tuner, &after);
        if (status == TULLE_OK) status = bench_tuning_note(t, tuner, &before, &after);
        if (status != TULLE_OK) return status;
        before = after;
    }
    t->from_cache = after.from_cache;
    return TULLE_OK;
}

static tulle_status run_online(bench_tuning *t, const bench_tuning_settings *settings) {
    const tulle_tuner_options options = {.cache = settings->cache, .spec = settings->spec};
    tulle_tuner *tuner = NULL;
    tulle_status status = tulle_tuner_create(t->problem->ctx, &options, &tuner);
    if (status != TULLE_OK) return status;
    status = tulle_tuner_cache(tuner, &t->cache);
    if (status == TULLE_OK) {
        snprintf(t->cache_path, sizeof t->cache_path, "%s", t->cache.path);
        t->cache.path = t->cache_path;
        status = settings->solving ? bench_tuning_solve(t, tuner, settings)
                                   : go_online(t, tuner, settings->calls);
    }
    if (status == TULLE_OK) status = tulle_tuner_save(tuner);
    tulle_tuner_destroy(tuner);
    return status;
}

static int faster(const void *a, const void *b) {
    const tulle_tuner_step *x = a, *y = b;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

/* Adds the fastest points of a finished search to the list. */
static tulle_status keep_finalists(bench_tuning *t, tulle_tuner *tuner, int steps) {
    const trial_problem *p = t->problem;
    tulle_tuner_step *step = tool_alloc((size_t)steps, sizeof *step);
    tulle_status status = TULLE_OK;
    for (int i = 0; i < steps && status == TULLE_OK; i++) {
        status = tulle_tuner_path(tuner, p->trans, p->A, i, &step[i]);
        if (!step[i].counts) step[i].ms = INFINITY;
        t->points += step[i].counts;
    }
    qsort(step, (size_t)steps, sizeof *step, faster);
    for (int i = 0; i < steps && i < FINALISTS && isfinite(step[i].ms); i++) {
        number_of(t, step[i].spec);
    }
    free(step);
    return status;
}

static tulle_status run_exhaustive(bench_tuning *t, const char *spec) {
    const tulle_tuner_options options = {.mode = TULLE_TUNE_EXHAUSTIVE, .cache = "", .spec = spec};
    tulle_tuner *tuner = NULL;
    tulle_tuner_info info = {.settled = false};
    tulle_status status = tulle_tuner_create(t->problem->ctx, &options, &tuner);
    for (int64_t i = 0; status == TULLE_OK && !info.settled; i++) {
        status = call_tuner(t->problem, tuner, &info);
        if (tool_progress(NULL, "exhaustive search", i, 0)) status = TULLE_CANCELLED;
    }
    tool_progress_end();
    if (status == TULLE_OK) status = keep_finalists(t, tuner, info.steps);
    tulle_tuner_destroy(tuner);
    return status;
}

static tulle_status measure_all(bench_tuning *t, const tool_budget *budget) {
    for (int i = 0; i < t->tuned_count; i++) {
        bench_tuned *tuned = &t->tuned[i];
        tuned->row =
            (bench_row){.place = t->place, .experiment = t->experiment, .matrix = t->matrix};
        tulle_status status = bench_measure(t->problem, &tuned->variant, budget, &tuned->row);
        if (tool_progress(NULL, tuned->variant.spec, i, t->tuned_count)) status = TULLE_CANCELLED;
        if (status != TULLE_OK) return status;
    }
    tool_progress_end();
    return TULLE_OK;
}

/* Finds the fastest of all specifications that were measured outside of a search. */
static void find_exhaustive(bench_tuning *t) {
    for (int i = 0; i < t->tuned_count && t->points > 0; i++) {
        double best = t->exhaustive < 0 ? INFINITY : t->tuned[t->exhaustive].row.timing.ms;
        if (t->tuned[i].row.timing.ms < best) t->exhaustive = i;
    }
}

tulle_status bench_tuning_run(const trial_problem *problem, const bench_tuning_settings *settings,
                              const tool_budget *budget, bench_tuning *t) {
    tulle_status status = TULLE_OK;
    t->problem = problem;
    t->experiment = settings->experiment;
    t->exhaustive = -1;
    if (settings->search != BENCH_EXHAUSTIVE) status = run_online(t, settings);
    if (status == TULLE_OK && settings->search != BENCH_ONLINE)
        status = run_exhaustive(t, settings->spec);
    if (status == TULLE_OK) status = measure_all(t, budget);
    if (status == TULLE_OK) find_exhaustive(t);
    return status;
}

double bench_tuning_of_exhaustive(const bench_tuning *t, int tuned) {
    if (t->exhaustive < 0) return (double)NAN;
    return t->tuned[t->exhaustive].row.timing.ms / t->tuned[tuned].row.timing.ms;
}
