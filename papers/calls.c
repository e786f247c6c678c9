/* SPDX-License-Identifier: Apache-2.0 */
/* The program that the profiler runs. A product may be several launches, so a launch that is none
 * of its own, the separator, stands before the first product and after each. */
#include <stdio.h>

#include "papers/marks.h"
#include "papers/work.h"
#include "tools/common/error.h"

/* Fills one number: f64, where the products are f32, so that no product launches the same. */
static tulle_status separate(tulle_ctx *ctx, tulle_dense *one) {
    tulle_status status = tulle_dense_fill(ctx, one, 0);
    return status == TULLE_OK ? tulle_ctx_synchronize(ctx) : status;
}

static tulle_status multiply(const bench_problem *p, const tulle_mat *A) {
    tulle_status status = tulle_spmv(p->ctx, p->trans, tulle_num(1), A, p->x, tulle_num(0), p->y);
    return status == TULLE_OK ? tulle_ctx_synchronize(p->ctx) : status;
}

/* The second call is the one that is watched: the first may load code. */
static tulle_status call(const bench_problem *p, const tulle_mat *A, tulle_dense *one,
                         const paper_marks *marks, bench_row *row) {
    tulle_choice choice;
    tulle_status status = tulle_spmv_choice(p->ctx, p->trans, A, true, &choice);
    if (status == TULLE_OK) status = multiply(p, A);
    if (status != TULLE_OK) return status;
    snprintf(row->kernel, sizeof row->kernel, "%s", choice.kernel);
    snprintf(row->params, sizeof row->params, "%s", choice.params);
    paper_marks_on(marks);
    status = multiply(p, A);
    if (status == TULLE_OK) status = separate(p->ctx, one);
    paper_marks_off(marks);
    return status;
}

static tulle_status call_planned(const bench_problem *p, tulle_dense *one, const paper_marks *marks,
                                 bench_row *row) {
    tulle_mat *A = NULL;
    tulle_status status = tulle_mat_convert(p->ctx, p->A, p->info.format, p->info.index, 0, &A);
    if (status == TULLE_OK) status = tulle_mat_plan(p->ctx, A, p->trans, row->variant->spec);
    if (status == TULLE_OK) status = call(p, A, one, marks, row);
    tulle_mat_destroy(A);
    return status;
}

static tulle_status call_forced(const bench_problem *p, tulle_dense *one, const paper_marks *marks,
                                bench_row *row) {
    tulle_status status = tulle_ctx_force_kernel(p->ctx, row->variant->spec);
    if (status == TULLE_OK) status = call(p, p->A, one, marks, row);
    tulle_status released = tulle_ctx_force_kernel(p->ctx, NULL);
    return status != TULLE_OK ? status : released;
}

static void call_all(const paper_work *work, const bench_variants *list, tulle_dense *one,
                     const paper_marks *marks) {
    bench_session *s = work->session;
    for (int i = 0; i < list->count && !bench_session_over(s); i++) {
        bench_row row = paper_work_row(work, work->problem, &list->item[i]);
        bool planned = row.variant->choice == BENCH_PLAN;
        tulle_status status = planned ? call_planned(work->problem, one, marks, &row)
                                      : call_forced(work->problem, one, marks, &row);
        char what[BENCH_ROW_TEXT];
        if (status != TULLE_OK) {
            bench_session_failed(s, bench_row_text(&row, what), status);
        } else if (!bench_row_write_unmeasured(&row, "profile", NULL, s->json)) {
            bench_session_unwritten(s);
        } else {
            s->measured++;
        }
    }
}

void paper_work_calls(const paper_work *work) {
    bench_session *s = work->session;
    paper_marks marks = paper_marks_open();
    bench_variants list = {0};
    tulle_dense *one = NULL;
    tulle_status status = tulle_vec_create(s->ctx, TULLE_F64, 1, &one);
    if (status == TULLE_OK && s->measured == 0) {
        paper_marks_on(&marks);
        status = separate(s->ctx, one);
        paper_marks_off(&marks);
    }
    if (status == TULLE_OK) status = paper_work_list(work, &list);
    if (status == TULLE_OK) {
        call_all(work, &list, one, &marks);
    } else {
        bench_session_failed(s, work->matrix->name, status);
    }
    bench_variants_free(&list);
    tulle_dense_destroy(one);
    paper_marks_close(&marks);
}
