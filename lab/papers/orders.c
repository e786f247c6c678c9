/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a matrix in COO with its entries in several orders. The order by rows is made from the
 * shuffled order by way of CSR, since a conversion from COO to COO keeps the order; so the time of
 * making it is the time of sorting. */
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

static void measure_by_rows(const paper_work *work, const tulle_mat *shuffled) {
    tulle_mat *csr = NULL, *A = NULL;
    double sort_ms = 0, list_ms = 0;
    tulle_status status = paper_work_convert(work->problem, shuffled, TULLE_CSR, &csr, &sort_ms);
    if (status == TULLE_OK) {
        status = paper_work_convert(work->problem, csr, TULLE_COO, &A, &list_ms);
    }
    measure(work, "entries by rows", A, sort_ms + list_ms, status);
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
}

void paper_work_orders(const paper_work *work) {
    const trial_problem *p = work->problem;
    tulle_mat *shuffled = NULL;
    tulle_status status = paper_arrange_shuffled(p->ctx, p->A, work->matrix->seed, &shuffled);
    measure(work, "entries shuffled", shuffled, 0, status);
    if (status == TULLE_OK) measure_by_rows(work, shuffled);
    tulle_mat_destroy(shuffled);
    measure_by_columns(work);
}
