/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/tasks_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/report.h"
#include "lab/papers/watch.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "trials/batch.h"

static tool_budget budget_of(const paper_tasks_work *w) {
    const tool_budget budget = w->session->settings->budget;
    if (!w->step->quickly) return budget;
    return (tool_budget){.repeat = 1, .seconds = 0.1 * budget.seconds};
}

/* Measures a row; returns true when there is a row to keep. */
static bool measure(const paper_tasks_work *w, bench_row *row) {
    bench_session *s = w->session;
    const tool_budget budget = budget_of(w);
    char what[BENCH_ROW_TEXT];
    (void)tool_progress(NULL, bench_row_text(row, what), 0, 0);
    tulle_status status = bench_measure(row->problem, row->variant, &budget, row);
    if (status == TULLE_OK) {
        bench_session_keep(s, row);
        return true;
    }
    if (status == TULLE_UNSUPPORTED) {
        (void)tool_error_line();
    } else {
        bench_session_failed(s, bench_row_text(row, what), status);
    }
    return false;
}

static void measure_all(const paper_tasks_work *w, const trial_problem *problem,
                        const bench_variants *list) {
    bench_session *s = w->session;
    bench_row *rows = tool_alloc((size_t)list->count + 1, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count && !bench_session_over(s); i++) {
        rows[count] = (bench_row){.place = &s->place,
                                  .experiment = &w->experiment,
                                  .matrix = &w->matrix,
                                  .problem = problem,
                                  .variant = &list->item[i],
                                  .core_ms = w->core_task_ms * (double)problem->count};
        count += measure(w, &rows[count]);
    }
    tool_progress_end();
    if (s->table && count) {
        printf("\nPaper %d, %s:", w->experiment.paper, w->experiment.name);
        bench_report(rows, count);
    }
    free(rows);
}

/* Adds the problem's number of streams to the variants' names. */
static void name_streams(const trial_problem *problem, bench_variants *list) {
    for (int i = 0; problem->streams > 0 && i < list->count; i++) {
        char *request = list->item[i].request;
        const size_t length = strlen(request);
        snprintf(request + length, BENCH_REQUEST - length, " on %d streams", problem->streams);
    }
}

static void run_way(const paper_tasks_work *w, const trial_problem *problem) {
    static const bench_layout none = {.text = ""};
    static const bench_peer_set nobody = {.count = 0};
    const bench_session *s = w->session;
    const bench_kind kind = {.backend = s->place.device.backend,
                             .type = problem->info.type,
                             .block = problem->block,
                             .layout = &none,
                             .detail = problem->detail,
                             .own = ""};
    bench_variants list;
    /* Other libraries have one way each, so they are measured with the first way alone. */
    bench_variants_list(s->settings, problem->detail == 0 ? &w->peers : &nobody, &kind,
                        w->operation, &list);
    name_streams(problem, &list);
    measure_all(w, problem, &list);
    bench_variants_free(&list);
}

/* Calls a way once, for the profiler. */
static tulle_status call_way(const paper_tasks_work *w, const trial_problem *problem) {
    bench_session *s = w->session;
    bench_variant variant = {.choice = TRIAL_FORCED};
    trial_task task = {.state = NULL};
    paper_watch watch;
    const char *way = w->operation->detail[problem->detail];
    snprintf(variant.request, sizeof variant.request, "%s", way);
    bench_row row = {.place = &s->place,
                     .experiment = &w->experiment,
                     .matrix = &w->matrix,
                     .problem = problem,
                     .variant = &variant};
    snprintf(row.kernel, sizeof row.kernel, "%s", w->operation->function);
    snprintf(row.params, sizeof row.params, "%s", way);
    tulle_status status = paper_watch_open(s, &watch);
    if (status == TULLE_OK) status = trial_problem_reset(problem);
    if (status == TULLE_OK) status = w->operation->prepare(problem, &task);
    if (status == TULLE_OK) {
        status = paper_watch_call(&watch, w->operation->run, task.state);
        w->operation->finish(task.state);
    }
    if (status == TULLE_OK) paper_watch_keep(s, &row);
    paper_watch_close(&watch);
    return status;
}

/* True for a way that the step measures: not for ways that launch a graph, and not for streams
 * where tasks take long, since such tasks (factors) have one piece, so that streams make the
 * launches of grouped, one by one. The profiler runs launches one after the other, so under it many
 * tasks run side by side only in a grid, which is also the quickest way. */
static bool has_way(const paper_tasks_work *w, int detail) {
    if (!w->operation->detail[detail] || trial_operation_captured(w->operation, detail))
        return false;
    if (w->settings->calls && (w->step->scaled || w->step->quickly)) {
        return detail == TRIAL_BATCH_GRID;
    }
    return !w->step->quickly || detail != TRIAL_BATCH_STREAMS;
}

/* Measures the published kernels on several numbers of streams: the number of multiprocessors of
 * the paper's device (15), twice this number, and the numbers of streams that earlier and later
 * devices run side by side; for a try, the number in the middle alone. */
static void run_on_streams(const paper_tasks_work *w, trial_problem *problem) {
    static const int streams[] = {8, 15, 30, 32, 64};
    enum { COUNT = sizeof streams / sizeof *streams, MIDDLE = COUNT / 2 };
    for (int i = 0; i < COUNT; i++) {
        if (bench_session_over(w->session) || (w->settings->quick && i != MIDDLE)) continue;
        problem->streams = streams[i];
        run_way(w, problem);
    }
    problem->streams = 0;
}

static tulle_status run_detail(const paper_tasks_work *w, trial_problem *problem) {
    if (w->settings->calls) return call_way(w, problem);
    if (w->step->scaled && problem->detail == TRIAL_BATCH_TASKS) {
        run_on_streams(w, problem);
    } else {
        run_way(w, problem);
    }
    return TULLE_OK;
}

tulle_status paper_tasks_ways(const paper_tasks_work *w, trial_problem *problem) {
    tulle_status status = TULLE_OK;
    for (int detail = 0; detail < TRIAL_DETAILS && status == TULLE_OK; detail++) {
        if (!has_way(w, detail) || bench_session_over(w->session)) continue;
        problem->detail = detail;
        status = run_detail(w, problem);
    }
    return status;
}
