/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment of a paper on one matrix in one type. */
#ifndef PAPERS_WORK_H
#define PAPERS_WORK_H

#include "bench/session.h"
#include "lab/papers/paper.h"

typedef struct paper_work {
    bench_session *session;
    const bench_matrix *matrix;
    const trial_problem *problem; /* problem with the matrix in CSR */
    const paper_step *step; /* first of the experiment's steps; a step of formats stands alone */
    int step_count;
    bench_experiment experiment;
    const struct paper_watch *watch; /* watch of a profiler for which calls are made; NULL: calls
                                        are measured */
} paper_work;

/* Measures all steps of the work, until the session is over. */
void paper_work_run(const paper_work *work);

/* Measure a step of formats, until the session is over: products with the work's matrix; products
 * with its entries in several orders; solutions of linear systems. */
void paper_work_formats(const paper_work *work);
void paper_work_orders(const paper_work *work);
void paper_work_systems(const paper_work *work);

/* Measures the step's kernels on a matrix in a format, which took prep_ms to make. The results must
 * be those of the work's problem. status: status of making the matrix; where the matrix was
 * refused, a row says so. */
void paper_work_other(const paper_work *work, tulle_format format, tulle_mat *A, double prep_ms,
                      tulle_status status);

/* Converts a matrix, with the problem's index type. *ms: time of a conversion once code is loaded,
 * in milliseconds. */
tulle_status paper_work_convert(const trial_problem *problem, const tulle_mat *A,
                                tulle_format format, tulle_mat **B, double *ms);

/* True when a list, which is names with commas, or *, has a name. */
bool paper_work_lists(const char *list, const char *name);

/* Writes a row that says why the matrix does not exist in a format, or notes a failure. */
void paper_work_without(const paper_work *work, tulle_format format, tulle_status status);

/* Measures the steps' kernels as the paper ran them (printed.c). */
void paper_printed(const paper_work *work, const bench_variants *list);

/* Lists the variants that the steps mean on the problem. */
tulle_status paper_work_list(const paper_work *work, bench_variants *list);

/* Call each kernel of the steps, or of a list, once for a profiler that watches between marks, and
 * write a row for each, in the order of the calls. */
void paper_work_calls(const paper_work *work);
void paper_work_call(const paper_work *work, const trial_problem *problem,
                     const bench_variants *list);

/* Returns a row of a variant without measurements. */
bench_row paper_work_row(const paper_work *work, const trial_problem *problem,
                         const bench_variant *variant);

/* Measures, or calls, a list of variants on the problem, which may be the matrix in another format
 * that took prep_ms to make. With `told`, a variant that does not take the problem gets a row that
 * says why. */
void paper_work_measure(const paper_work *work, const trial_problem *problem,
                        const bench_variants *list, double prep_ms, bool told);

/* Prints a table of the measurements, where tables are wanted. */
void paper_work_report(const paper_work *work, const bench_row *rows, int count);

/* Writes a row for a refused variant, with the last failure as the reason. */
void paper_work_refused(const paper_work *work, const bench_row *row);

#endif
