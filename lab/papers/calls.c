/* SPDX-License-Identifier: Apache-2.0 */
/* Products in the program that the profiler runs. */
#include <stdio.h>

#include "lab/papers/watch.h"
#include "lab/papers/work.h"
#include "tools/common/error.h"

typedef struct product {
    const bench_problem *problem;
    const tulle_mat *A;
} product;

static tulle_status multiply(void *user) {
    const product *call = user;
    const bench_problem *p = call->problem;
    return tulle_spmv(p->ctx, p->trans, tulle_num(1), call->A, p->x, tulle_num(0), p->y);
}

static tulle_status call(const bench_problem *p, const tulle_mat *A, const paper_watch *watch,
                         bench_row *row) {
    tulle_choice choice;
    tulle_status status = tulle_spmv_choice(p->ctx, p->trans, A, true, &choice);
    if (status != TULLE_OK) return status;
    snprintf(row->kernel, sizeof row->kernel, "%s", choice.kernel);
    snprintf(row->params, sizeof row->params, "%s", choice.params);
    product of = {.problem = p, .A = A};
    return paper_watch_call(watch, multiply, &of);
}

static tulle_status call_planned(const bench_problem *p, const paper_watch *watch, bench_row *row) {
    tulle_mat *A = NULL;
    tulle_status status = tulle_mat_convert(p->ctx, p->A, p->info.format, p->info.index, 0, &A);
    if (status == TULLE_OK) status = tulle_mat_plan(p->ctx, A, p->trans, row->variant->spec);
    if (status == TULLE_OK) status = call(p, A, watch, row);
    tulle_mat_destroy(A);
    return status;
}

static tulle_status call_forced(const bench_problem *p, const paper_watch *watch, bench_row *row) {
    tulle_status status = tulle_ctx_force_kernel(p->ctx, row->variant->spec);
    if (status == TULLE_OK) status = call(p, p->A, watch, row);
    tulle_status released = tulle_ctx_force_kernel(p->ctx, NULL);
    return status != TULLE_OK ? status : released;
}

static void call_all(const paper_work *work, const bench_variants *list, const paper_watch *watch) {
    bench_session *s = work->session;
    for (int i = 0; i < list->count && !bench_session_over(s); i++) {
        bench_row row = paper_work_row(work, work->problem, &list->item[i]);
        bool planned = row.variant->choice == BENCH_PLAN;
        tulle_status status = planned ? call_planned(work->problem, watch, &row)
                                      : call_forced(work->problem, watch, &row);
        char what[BENCH_ROW_TEXT];
        if (status != TULLE_OK) {
            bench_session_failed(s, bench_row_text(&row, what), status);
        } else {
            paper_watch_keep(s, &row);
        }
    }
}

void paper_work_calls(const paper_work *work) {
    bench_session *s = work->session;
    paper_watch watch;
    bench_variants list = {0};
    tulle_status status = paper_watch_open(s, &watch);
    if (status == TULLE_OK) status = paper_work_list(work, &list);
    if (status == TULLE_OK) {
        call_all(work, &list, &watch);
    } else {
        bench_session_failed(s, work->matrix->name, status);
    }
    bench_variants_free(&list);
    paper_watch_close(&watch);
}
