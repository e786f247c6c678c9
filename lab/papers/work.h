/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment of a paper on one matrix in one type. */
#ifndef PAPERS_WORK_H
#define PAPERS_WORK_H

#include "bench/session.h"
#include "lab/papers/paper.h"

typedef struct paper_work {
    bench_session *session;
    const bench_matrix *matrix;
    const trial_problem *problem; /* the matrix as CSR */
    const paper_step *step;       /* the first of its steps; one of formats stands alone */
    int step_count;
    bench_experiment experiment;
    const struct paper_watch *watch; /* calls are made for a profiler; NULL: they are measured */
} paper_work;

/* Measures all of the steps, until the session is over. */
void paper_work_run(const paper_work *work);

/* The same of a step on formats: of the work's problem; or of matrices with its entries in several
 * orders; or of linear systems. */
void paper_work_formats(const paper_work *work);
void paper_work_orders(const paper_work *work);
void paper_work_systems(const paper_work *work);

/* Measures the step's kernels on a matrix in a format, which took prep_ms to make; the results are
 * those of the work's problem. status: of making it; where it was refused, a row says so. */
void paper_work_other(const paper_work *work, tulle_format format, tulle_mat *A, double prep_ms,
                      tulle_status status);

/* Converts a matrix, of the problem's index type; *ms: what that takes once code is loaded. */
tulle_status paper_work_convert(const trial_problem *problem, const tulle_mat *A,
                                tulle_format format, tulle_mat **B, double *ms);

/* Whether a list, names with commas, or *, has a name. */
bool paper_work_lists(const char *list, const char *name);

/* Writes a row that says why the matrix is not there in a format; or notes a failure. */
void paper_work_without(const paper_work *work, tulle_format format, tulle_status status);

/* The same of steps whose kernels run as the paper ran them (printed.c). */
void paper_printed(const paper_work *work, const bench_variants *list);

/* What the steps mean on the problem. */
tulle_status paper_work_list(const paper_work *work, bench_variants *list);

/* Calls each kernel of the steps once, for a profiler that watches between the marks, and writes a
 * row for each, in the same order; the same of a list. */
void paper_work_calls(const paper_work *work);
void paper_work_call(const paper_work *work, const trial_problem *problem,
                     const bench_variants *list);

/* A row with all but the variant's measurements. */
bench_row paper_work_row(const paper_work *work, const trial_problem *problem,
                         const bench_variant *variant);

/* Measures, or calls, a list of variants on the problem, which may be the matrix in another format
 * that took prep_ms to make. With `told`, what does not take the problem gets a row that says why.
 */
void paper_work_measure(const paper_work *work, const trial_problem *problem,
                        const bench_variants *list, double prep_ms, bool told);

/* Prints a table of what was measured, where tables are wanted. */
void paper_work_report(const paper_work *work, const bench_row *rows, int count);

/* Writes a row for what was refused, with the last failure as the reason. */
void paper_work_refused(const paper_work *work, const bench_row *row);

#endif
