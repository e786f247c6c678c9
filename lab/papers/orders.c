/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix as COO with its entries in several orders. Nothing is lost by any of them: that by rows
 * is made from the shuffled one, and takes as long as sorting does. */
#include "lab/papers/arrange.h"
#include "lab/papers/work.h"

static void measure(const paper_work *work, const char *order, tulle_mat *A, double prep_ms,
                    tulle_status status) {
    paper_work of = *work;
    of.experiment.arranged = order;
    if (!bench_session_over(work->session)) paper_work_other(&of, TULLE_COO, A, prep_ms, status);
}

static void measure_by_columns(const paper_work *work) {
    tulle_mat *A = NULL;
    tulle_status status = paper_arrange_by_columns(work->problem->ctx, work->problem->A, &A);
    measure(work, "entries by columns", A, 0, status);
    tulle_mat_destroy(A);
}

void paper_work_orders(const paper_work *work) {
    const bench_problem *p = work->problem;
    tulle_mat *shuffled = NULL, *sorted = NULL;
    double sort_ms = 0;
    tulle_status status = paper_arrange_shuffled(p->ctx, p->A, work->matrix->seed, &shuffled);
    measure(work, "entries shuffled", shuffled, 0, status);
    if (status == TULLE_OK) {
        status = paper_work_convert(p, shuffled, TULLE_COO, &sorted, &sort_ms);
        measure(work, "entries by rows", sorted, sort_ms, status);
    }
    tulle_mat_destroy(sorted);
    tulle_mat_destroy(shuffled);
    measure_by_columns(work);
}
