/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/tasks.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "lab/papers/tasks_ways.h"
#include "tools/common/error.h"
#include "trials/op.h"
#include "trials/operation.h"

/* Returns the number of rows of a task: the step's, or a few for a try. The profiler runs a kernel
 * many times, so of tasks that take long it gets small ones, cubes of 4 points a side. */
static int64_t rows_of(const paper_tasks_work *w) {
    enum { QUICK_ROWS = 8, PROFILED_ROWS = 64 };
    if (w->settings->quick) return QUICK_ROWS;
    return w->settings->calls && w->step->quickly ? PROFILED_ROWS : w->step->rows;
}

static tulle_status time_layout(const paper_tasks_work *w, const trial_given *given, double *ms) {
    static const bench_variant variant = {.choice = TRIAL_RULE};
    const tool_budget budget = {.repeat = 1, .seconds = w->session->settings->budget.seconds};
    trial_problem problem;
    bench_row row = {.matrix = &w->matrix};
    tulle_status status = trial_problem_open(w->core, w->operation, given, &problem);
    if (status != TULLE_OK) return status;
    status = bench_measure(&problem, &variant, &budget, &row);
    *ms = row.timing.ms;
    trial_problem_close(&problem);
    return status;
}

static int layouts_of(const paper_tasks_work *w) {
    return w->step->quickly ? 1 : 2;
}

/* Finds the time of a task on one core of the host, in the layout of vectors that suits the core
 * best, with no more samples than needed. A core takes tasks one after the other, so of tasks that
 * take long one is timed for all. */
static tulle_status time_core(paper_tasks_work *w, const trial_given *given) {
    trial_given one = *given;
    one.check = false;
    if (w->step->quickly) one.count = 1;
    w->core_task_ms = 0;
    for (int layout = 0; layout < layouts_of(w); layout++) {
        double ms = 0;
        one.block.layout = layout ? TULLE_COLUMN_MAJOR : TULLE_ROW_MAJOR;
        tulle_status status = time_layout(w, &one, &ms);
        if (status != TULLE_OK) return status;
        ms /= (double)one.count;
        if (layout == 0 || ms < w->core_task_ms) w->core_task_ms = ms;
    }
    return TULLE_OK;
}

/* Makes a problem once and measures all ways on it: making a large problem takes longer than the
 * ways. */
static tulle_status run_given(paper_tasks_work *w, const trial_given *given) {
    trial_problem problem;
    if (bench_session_over(w->session)) return TULLE_OK;
    snprintf(w->matrix.name, sizeof w->matrix.name, "%lldx%lld", (long long)given->count,
             (long long)given->n);
    tulle_status status = trial_problem_open(w->session->ctx, w->operation, given, &problem);
    if (status == TULLE_OK) {
        status = paper_tasks_ways(w, &problem);
        trial_problem_close(&problem);
    }
    if (status != TULLE_UNSUPPORTED) return status;
    (void)tool_error_line();
    return TULLE_OK;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* Returns the number of multiprocessors, or of threads of a CPU; for a try 1. */
static int units_of(const paper_tasks_work *w) {
    const tulle_device_info *device = &w->session->place.device;
    if (w->settings->quick) return 1;
    return device->multiprocessors > 0 ? device->multiprocessors : device->threads;
}

/* PRINTED: number of tasks in most of the paper's experiments. FEW: number of tasks in a try. */
enum { PRINTED = 30, FEW = 3 };

/* Measures a number of tasks. Of more tasks than in the paper a sample is checked: a check of all
 * would take longer than the tasks. */
static tulle_status run_count(paper_tasks_work *w, trial_given given, int count) {
    enum { CHECKED = 16, QUICK_CHECKED = 2 };
    const bool quick = w->settings->quick;
    given.count = count;
    if (count > (quick ? QUICK_CHECKED : PRINTED)) {
        given.sample = (tool_sample){.most = quick ? QUICK_CHECKED : CHECKED, .seed = given.seed};
    }
    return run_given(w, &given);
}

/* Measures growing numbers of tasks: one task, the paper's 15 and 30, and half a task to four tasks
 * per multiprocessor, or per thread of a CPU; for the profiler one, two and four per
 * multiprocessor. */
static tulle_status run_counts(paper_tasks_work *w, const trial_given *given) {
    enum { HALVES = 8, MOST = HALVES + 3 };
    const int unit = units_of(w);
    int counts[MOST] = {1, PRINTED / 2, PRINTED}, count = 3;
    for (int i = 1; i <= HALVES; i++) counts[count++] = (i * unit + 1) / 2;
    if (w->settings->calls) {
        count = 0;
        for (int each = 1; each <= HALVES / 2; each *= 2) counts[count++] = each * unit;
    }
    qsort(counts, (size_t)count, sizeof *counts, ascending);
    tulle_status status = TULLE_OK;
    for (int i = 0; i < count && status == TULLE_OK; i++) {
        if (i == 0 || counts[i] != counts[i - 1]) status = run_count(w, *given, counts[i]);
    }
    return status;
}

/* Measures the paper's number of tasks and, where a step asks for it, as many as fill a GPU. */
static tulle_status run_layout(paper_tasks_work *w, const trial_given *given) {
    const bool few = w->settings->quick || (w->settings->calls && w->step->quickly);
    const bool fills = given->block.vectors <= w->step->most_filled && !w->settings->calls;
    tulle_status status = run_count(w, *given, few ? FEW : PRINTED);
    if (!fills || status != TULLE_OK) return status;
    return run_count(w, *given, 2 * units_of(w));
}

static tulle_status run_sizes(paper_tasks_work *w, trial_given *given) {
    static const int blocks[] = {4, 8, 16};
    tulle_status status = TULLE_OK;
    const size_t count = w->settings->quick ? 1 : sizeof blocks / sizeof *blocks;
    for (size_t b = 0; b < count && status == TULLE_OK; b++) {
        given->block.vectors = blocks[b];
        given->count = w->settings->quick ? FEW : PRINTED;
        if (w->core) status = time_core(w, given);
        for (int layout = 0; layout < layouts_of(w) && status == TULLE_OK; layout++) {
            given->block.layout = layout ? TULLE_COLUMN_MAJOR : TULLE_ROW_MAJOR;
            status = run_layout(w, given);
        }
    }
    return status;
}

static tulle_status run_type(paper_tasks_work *w, tulle_type type) {
    const bench_settings *settings = w->session->settings;
    trial_given given = {.n = rows_of(w),
                         .type = type,
                         .block = {4, TULLE_ROW_MAJOR},
                         .seed = w->matrix.seed,
                         .check = !settings->no_check && !w->settings->calls,
                         .budget = settings->budget};
    return w->step->scaled ? run_counts(w, &given) : run_sizes(w, &given);
}

tulle_status paper_tasks(bench_session *session, const paper_settings *settings,
                         const paper_step *step, tulle_type type) {
    paper_tasks_work w = {
        .session = session,
        .settings = settings,
        .step = step,
        .operation = trial_operation_of(trial_op_of(step->batch)),
        .experiment = {.paper = settings->paper->number, .name = step->experiment},
        .matrix = {.source = "generated", .seed = (uint64_t)session->settings->seed}};
    tulle_status status = TULLE_OK;
    if (step->peers) {
        session->code = bench_peers_find(session->settings->peers, session->place.device.backend,
                                         step->batch, &w.peers);
    }
    if (step->one_core && !settings->calls) status = tulle_ctx_create("cpu:1", NULL, &w.core);
    if (status == TULLE_OK) status = run_type(&w, type);
    tulle_ctx_destroy(w.core);
    return status;
}
