/* SPDX-License-Identifier: Apache-2.0 */
/* Calls products in the program that the profiler runs. */
#include <stdio.h>

#include "lab/papers/watch.h"
#include "lab/papers/work.h"
#include "tools/common/error.h"

typedef struct product {
    const trial_problem *problem;
    const tulle_mat *A;
} product;

static tulle_status multiply(void *user) {
    const product *call = user;
    const trial_problem *p = call->problem;
    return tulle_spmv(p->ctx, p->trans, tulle_num(1), call->A, p->x, tulle_num(0), p->y);
}

static tulle_status call(const trial_problem *p, const tulle_mat *A, const paper_watch *watch,
                         bench_row *row) {
    tulle_choice choice;
    tulle_status status = tulle_spmv_describe(p->ctx, p->trans, A, true, &choice);
    if (status != TULLE_OK) return status;
    snprintf(row->kernel, sizeof row->kernel, "%s", choice.kernel);
    snprintf(row->params, sizeof row->params, "%s", choice.params);
    product of = {.problem = p, .A = A};
    return paper_watch_call(watch, multiply, &of);
}

static tulle_status call_planned(const trial_problem *p, const paper_watch *watch, bench_row *row) {
    tulle_mat *A = NULL;
    tulle_status status = tulle_mat_convert(p->ctx, p->A, p->info.format, p->info.index, 0, &A);
    if (status == TULLE_OK) status = tulle_mat_plan(p->ctx, p->trans, A, row->variant->spec);
    if (status == TULLE_OK) status = call(p, A, watch, row);
    tulle_mat_destroy(A);
    return status;
}

static tulle_status call_forced(const trial_problem *p, const paper_watch *watch, bench_row *row) {
    tulle_status status = tulle_ctx_force_kernel(p->ctx, row->variant->spec);
    if (status == TULLE_OK) status = call(p, p->A, watch, row);
    tulle_status released = tulle_ctx_force_kernel(p->ctx, NULL);
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
        bool planned = row.variant->choice == TRIAL_PLAN;
        tulle_status status = planned ? call_planned(problem, work->watch, &row)
                                      : call_forced(problem, work->watch, &row);
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
