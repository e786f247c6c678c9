/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/tasks.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/acting.h"
#include "bench/batch.h"
#include "bench/measure.h"
#include "bench/op.h"
#include "bench/report.h"
#include "lab/papers/watch.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"

typedef struct work {
    bench_session *session;
    const paper_settings *settings;
    const paper_step *step;
    const bench_actor *actor;
    bench_experiment experiment;
    bench_matrix matrix;
    bench_peer_set peers;
    tulle_ctx *core; /* one core of the host; NULL: not compared with */
} work;

/* As few as a try needs, or the step's own. */
static int64_t rows_of(const work *w) {
    enum { QUICK_ROWS = 8 };
    return w->settings->quick ? QUICK_ROWS : w->step->rows;
}

/* The time of the same on one core of the host, with no more samples than needed. */
static tulle_status time_core(const work *w, const bench_given *given, double *ms) {
    static const bench_variant variant = {.choice = BENCH_RULE};
    const tool_budget budget = {.repeat = 1, .seconds = w->session->settings->budget.seconds};
    bench_given unchecked = *given;
    unchecked.check = false;
    bench_problem problem;
    bench_row row = {.matrix = &w->matrix};
    tulle_status status = bench_acting_open(w->core, w->actor, &unchecked, &problem);
    if (status != TULLE_OK) return status;
    status = bench_measure(&problem, &variant, &budget, &row);
    *ms = row.timing.ms;
    bench_problem_close(&problem);
    return status;
}

static tool_budget budget_of(const work *w) {
    const tool_budget budget = w->session->settings->budget;
    if (!w->step->quickly) return budget;
    return (tool_budget){.repeat = 1, .seconds = 0.1 * budget.seconds};
}

/* Whether there is a row to keep. */
static bool measure(const work *w, bench_row *row) {
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

static void measure_all(const work *w, const bench_problem *problem, const bench_variants *list,
                        double core_ms) {
    bench_session *s = w->session;
    bench_row *rows = tool_alloc((size_t)list->count + 1, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count && !bench_session_over(s); i++) {
        rows[count] = (bench_row){.place = &s->place,
                                  .experiment = &w->experiment,
                                  .matrix = &w->matrix,
                                  .problem = problem,
                                  .variant = &list->item[i],
                                  .core_ms = core_ms};
        count += measure(w, &rows[count]);
    }
    tool_progress_end();
    if (s->table && count) {
        printf("\nPaper %d, %s:", w->experiment.paper, w->experiment.name);
        bench_report(rows, count, stdout);
    }
    free(rows);
}

static void run_way(const work *w, const bench_problem *problem, double core_ms) {
    static const bench_layout none = {.text = ""};
    static const bench_peer_set nobody = {.count = 0};
    const bench_session *s = w->session;
    const bench_kind kind = {.backend = s->place.device.backend,
                             .type = problem->info.type,
                             .block = problem->block,
                             .layout = &none};
    bench_variants list;
    /* Peers have one way each, whatever ours. */
    bench_variants_act(s->settings, problem->detail == 0 ? &w->peers : &nobody, &kind, w->actor,
                       problem->detail, &list);
    measure_all(w, problem, &list, core_ms);
    bench_variants_free(&list);
}

/* Once, for the profiler. */
static tulle_status call_way(const work *w, const bench_problem *problem) {
    bench_session *s = w->session;
    bench_variant variant = {.choice = BENCH_FORCED};
    bench_task task = {.state = NULL};
    paper_watch watch;
    const char *way = w->actor->detail[problem->detail];
    snprintf(variant.request, sizeof variant.request, "%s", way);
    bench_row row = {.place = &s->place,
                     .experiment = &w->experiment,
                     .matrix = &w->matrix,
                     .problem = problem,
                     .variant = &variant};
    snprintf(row.kernel, sizeof row.kernel, "%s", w->actor->function);
    snprintf(row.params, sizeof row.params, "%s", way);
    tulle_status status = paper_watch_open(s, &watch);
    if (status == TULLE_OK) status = w->actor->reset(problem);
    if (status == TULLE_OK) status = w->actor->prepare(problem, &task);
    if (status == TULLE_OK) {
        status = paper_watch_call(&watch, w->actor->run, task.state);
        w->actor->finish(task.state);
    }
    if (status == TULLE_OK) paper_watch_keep(s, &row);
    paper_watch_close(&watch);
    return status;
}

/* All ways but those from a graph. By streams, factors, which have one piece, are the launches of
 * grouped, one by one. */
static bool has_way(const work *w, int detail) {
    if (!w->actor->detail[detail] || bench_actor_captured(w->actor, detail)) return false;
    return w->settings->calls || !w->step->quickly || detail != BENCH_BATCH_STREAMS;
}

static tulle_status run_ways(const work *w, bench_problem *problem, double core_ms) {
    tulle_status status = TULLE_OK;
    for (int detail = 0; detail < BENCH_DETAILS && status == TULLE_OK; detail++) {
        if (!has_way(w, detail) || bench_session_over(w->session)) continue;
        problem->detail = detail;
        if (w->settings->calls) {
            status = call_way(w, problem);
        } else {
            run_way(w, problem, core_ms);
        }
    }
    return status;
}

/* A problem is made once for all ways: where it is large, that takes longer than they do. */
static tulle_status run_given(work *w, const bench_given *given) {
    bench_problem problem;
    double core_ms = 0;
    if (bench_session_over(w->session)) return TULLE_OK;
    snprintf(w->matrix.name, sizeof w->matrix.name, "%lldx%lld", (long long)given->count,
             (long long)given->n);
    tulle_status status = w->core ? time_core(w, given, &core_ms) : TULLE_OK;
    if (status == TULLE_OK) {
        status = bench_acting_open(w->session->ctx, w->actor, given, &problem);
    }
    if (status == TULLE_OK) {
        status = run_ways(w, &problem, core_ms);
        bench_problem_close(&problem);
    }
    if (status != TULLE_UNSUPPORTED) return status;
    (void)tool_error_line();
    return TULLE_OK;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* The paper's 15 and 30, and from half a task to four a multiprocessor, or a thread of a CPU. More
 * than the paper's are the same again, whose results would take longer to check than to compute. */
static tulle_status run_counts(work *w, bench_given *given) {
    enum { HALVES = 8, MOST = HALVES + 2, MOST_CHECKED = 30 };
    const bool check = given->check;
    const tulle_device_info *device = &w->session->place.device;
    const int all = device->multiprocessors > 0 ? device->multiprocessors : device->threads;
    const int unit = w->settings->quick ? 1 : all;
    int counts[MOST] = {15, 30};
    for (int i = 1; i <= HALVES; i++) counts[1 + i] = (i * unit + 1) / 2;
    qsort(counts, MOST, sizeof *counts, ascending);
    tulle_status status = TULLE_OK;
    for (int i = 0; i < MOST && status == TULLE_OK; i++) {
        if (i > 0 && counts[i] == counts[i - 1]) continue;
        given->count = counts[i];
        given->check = check && counts[i] <= MOST_CHECKED;
        status = run_given(w, given);
    }
    return status;
}

static tulle_status run_sizes(work *w, bench_given *given) {
    static const int blocks[] = {4, 8, 16};
    tulle_status status = TULLE_OK;
    const bool quick = w->settings->quick;
    const int layouts = w->step->quickly && !w->settings->calls ? 1 : 2;
    const size_t count = quick ? 1 : sizeof blocks / sizeof *blocks;
    given->count = quick ? 3 : 30;
    for (size_t b = 0; b < count && status == TULLE_OK; b++) {
        for (int layout = 0; layout < layouts && status == TULLE_OK; layout++) {
            given->block = (bench_block){blocks[b], layout ? TULLE_COLUMN_MAJOR : TULLE_ROW_MAJOR};
            status = run_given(w, given);
        }
    }
    return status;
}

static tulle_status run_type(work *w, tulle_type type) {
    const bench_settings *settings = w->session->settings;
    bench_given given = {.n = rows_of(w),
                         .type = type,
                         .block = {4, TULLE_ROW_MAJOR},
                         .seed = w->matrix.seed,
                         .check = !settings->no_check && !w->settings->calls,
                         .budget = settings->budget};
    return w->step->scaled ? run_counts(w, &given) : run_sizes(w, &given);
}

tulle_status paper_tasks(bench_session *session, const paper_settings *settings,
                         const paper_step *step, tulle_type type) {
    work w = {.session = session,
              .settings = settings,
              .step = step,
              .actor = bench_actor_of(bench_op_of(step->batch)),
              .experiment = {.paper = settings->paper->number, .name = step->experiment},
              .matrix = {.source = "generated", .seed = (uint64_t)session->settings->seed}};
    tulle_status status = TULLE_OK;
    if (step->peers) {
        session->code = bench_peers_find(session->settings->peers, session->place.device.backend,
                                         step->batch, &w.peers);
    }
    if (step->one_core) status = tulle_ctx_create("cpu:1", NULL, &w.core);
    if (status == TULLE_OK) status = run_type(&w, type);
    tulle_ctx_destroy(w.core);
    return status;
}
