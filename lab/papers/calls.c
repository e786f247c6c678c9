/* SPDX-License-Identifier: Apache-2.0 */
/* Calls products in the program that the profiler runs. */
#include <stdio.h>

#include "lab/papers/watch.h"
#include "lab/papers/work.h"
#include "tools/common/error.h"

static tulle_status call(const trial_problem *p, const paper_watch *watch, bench_row *row) {
    trial_task task = {.by = row->variant->choice, .spec = row->variant->spec};
    tulle_status status = p->operation->prepare(p, &task);
    if (status != TULLE_OK) return status;
    snprintf(row->kernel, sizeof row->kernel, "%s", task.choice.kernel);
    snprintf(row->params, sizeof row->params, "%s", task.choice.params);
    status = paper_watch_call(watch, p->operation->run, task.state);
    p->operation->finish(task.state);
    return status;
}

/* A plan keeps its kernel; without one the kernel is forced. */
static tulle_status call_variant(const trial_problem *p, const paper_watch *watch, bench_row *row) {
    const bool planned = row->variant->choice == TRIAL_PLAN;
    tulle_status status = tulle_ctx_force_kernel(p->ctx, planned ? NULL : row->variant->spec);
    if (status == TULLE_OK) status = call(p, watch, row);
    const tulle_status released = tulle_ctx_force_kernel(p->ctx, NULL);
    return status != TULLE_OK ? status : released;
}

/* Notes that a product failed. TULLE_UNSUPPORTED is no failure: a kernel need not take every case,
 * such as entries in another order than it needs. */
static void give_up(bench_session *s, const bench_row *row, tulle_status status) {
    char what[BENCH_ROW_TEXT];
    if (status == TULLE_UNSUPPORTED) {
        (void)tool_error_line();
    } else {
        bench_session_failed(s, bench_row_text(row, what), status);
    }
}

void paper_work_call(const paper_work *work, const trial_problem *problem,
                     const bench_variants *list) {
    bench_session *s = work->session;
    for (int i = 0; i < list->count && !bench_session_over(s); i++) {
        bench_row row = paper_work_row(work, problem, &list->item[i]);
        const tulle_status status = call_variant(problem, work->watch, &row);
        if (status == TULLE_OK) {
            paper_watch_keep(s, &row);
        } else {
            give_up(s, &row, status);
        }
    }
}

void paper_work_calls(const paper_work *work) {
    paper_watch watch;
    paper_work watched = *work;
    watched.watch = &watch;
    tulle_status status = paper_watch_open(work->session, &watch);
    if (status == TULLE_OK) {
        paper_work_run(&watched);
    } else {
        bench_session_failed(work->session, work->matrix->name, status);
    }
    paper_watch_close(&watch);
}
