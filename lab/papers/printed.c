/* SPDX-License-Identifier: Apache-2.0 */
/* Measures products as paper 2 ran them: x of ones, the mean of three calls, and the paper's check
 * of results, which compares them with plain sums on the CPU. Also measures the time of making the
 * matrix, with which the paper compares the time of making row blocks. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "core/stopwatch.h"
#include "lab/papers/work.h"
#include "tools/common/csr.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "trials/spmv.h"

enum { CALLS = 3 };

/* Threshold of absolute and of relative differences. The paper does not print its own; this one is
 * from the article that the paper cites (Dawson, Comparing Floating Point Numbers, 2012). */
static const double threshold = FLT_EPSILON;

/* The problem with x of ones, and the sums that the paper's check compares with. */
typedef struct ones {
    trial_problem problem;
    double *sums; /* sums of the rows, added from left to right in A's type */
    double making_ms;
} ones;

static void sum_rows(const tool_csr *A, double *sums) {
    for (int64_t row = 0; row < A->rows; row++) {
        const int64_t end = tool_csr_offset(A, row + 1);
        float narrow = 0;
        double wide = 0;
        for (int64_t e = tool_csr_offset(A, row); e < end; e++) {
            narrow += (float)tool_csr_value(A, e);
            wide += tool_csr_value(A, e);
        }
        sums[row] = A->type == TULLE_F32 ? (double)narrow : wide;
    }
}

static tulle_status compute_sums(ones *o) {
    tool_csr csr = {0};
    const tulle_status status = tool_csr_open(o->problem.ctx, o->problem.A, &csr);
    if (status == TULLE_OK) {
        o->sums = tool_alloc((size_t)csr.rows, sizeof *o->sums);
        sum_rows(&csr, o->sums);
    }
    tool_csr_close(&csr);
    return status;
}

/* Times making the matrix from its triplets, which are in order. The second time counts, for the
 * first may load code and fill the pool. */
static tulle_status time_making(ones *o) {
    const trial_problem *p = &o->problem;
    tulle_mat *triplets = NULL, *made = NULL;
    tulle_status status = tulle_mat_convert(p->ctx, p->A, TULLE_COO, p->info.index, 0, &triplets);
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        tulle_mat_destroy(made);
        made = NULL;
        status = tulle_ctx_synchronize(p->ctx);
        const double start = tulle__seconds();
        if (status == TULLE_OK) {
            status = tulle_mat_convert(p->ctx, triplets, TULLE_CSR, p->info.index, 0, &made);
        }
        if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
        o->making_ms = 1e3 * (tulle__seconds() - start);
    }
    tulle_mat_destroy(made);
    tulle_mat_destroy(triplets);
    return status;
}

static void close_ones(ones *o) {
    trial_problem_close(&o->problem);
    free(o->sums);
}

static tulle_status open_ones(const trial_problem *like, uint64_t seed, ones *o) {
    *o = (ones){0};
    tulle_status status = trial_spmv_open(like->ctx, like->A, like->trans, trial_one_vector, seed,
                                          false, &o->problem);
    if (status != TULLE_OK) return status;
    trial_problem *p = &o->problem;
    status = tulle_vec_fill(p->ctx, p->x, 1);
    if (status == TULLE_OK) {
        status = trial_check_create(p->ctx, p->A, p->trans, p->x, &p->check);
    }
    if (status == TULLE_OK) status = compute_sums(o);
    if (status == TULLE_OK) status = time_making(o);
    if (status != TULLE_OK) close_ones(o);
    return status;
}

/* True when the paper's check fails: neither the absolute nor the relative difference is small. */
static bool is_apart(double got, double sum) {
    const double difference = fabs(got - sum), largest = fmax(fabs(got), fabs(sum));
    return !(difference <= threshold || difference <= threshold * largest);
}

static tulle_status count_apart(const ones *o, int64_t *apart) {
    const trial_problem *p = &o->problem;
    const int64_t rows = p->info.rows;
    const bool single = p->info.type == TULLE_F32;
    void *y = tool_alloc((size_t)rows, single ? sizeof(float) : sizeof(double));
    const tulle_status status = tulle_vec_read(p->ctx, p->y, y, 0);
    *apart = 0;
    for (int64_t i = 0; i < rows && status == TULLE_OK; i++) {
        const double got = single ? (double)((const float *)y)[i] : ((const double *)y)[i];
        *apart += is_apart(got, o->sums[i]);
    }
    free(y);
    return status;
}

static tulle_status measure(const paper_work *work, const ones *o, bench_row *row) {
    tool_budget budget = work->session->settings->budget;
    budget.mean_of = CALLS;
    row->paper_check = true;
    row->making_ms = o->making_ms;
    const tulle_status status = bench_measure(&o->problem, row->variant, &budget, row);
    return status == TULLE_OK ? count_apart(o, &row->apart) : status;
}

static void measure_all(const paper_work *work, const bench_variants *list, const ones *o) {
    bench_session *s = work->session;
    bench_row *rows = tool_alloc((size_t)list->count, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count && !bench_session_over(s); i++) {
        bench_row *row = &rows[count];
        *row = paper_work_row(work, &o->problem, &list->item[i]);
        char what[BENCH_ROW_TEXT];
        (void)tool_progress(NULL, bench_row_text(row, what), i, list->count);
        const tulle_status status = measure(work, o, row);
        if (status == TULLE_OK) {
            bench_session_keep(s, row);
            count++;
        } else {
            bench_session_failed(s, bench_row_text(row, what), status);
        }
    }
    tool_progress_end();
    paper_work_report(work, rows, count);
    free(rows);
}

void paper_printed(const paper_work *work, const bench_variants *list) {
    if (list->count == 0) return;
    ones o;
    const tulle_status status = open_ones(work->problem, work->matrix->seed, &o);
    if (status != TULLE_OK) {
        bench_session_failed(work->session, work->matrix->name, status);
        return;
    }
    measure_all(work, list, &o);
    close_ones(&o);
}
