/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment of a paper on one matrix in one type. */
#ifndef PAPERS_WORK_H
#define PAPERS_WORK_H

#include "bench/session.h"
#include "lab/papers/paper.h"

typedef struct paper_work {
    bench_session *session;
    const bench_matrix *matrix;
    const bench_problem *problem; /* the matrix as CSR */
    const paper_step *step;       /* the first of its steps; one of formats stands alone */
    int step_count;
    bench_experiment experiment;
} paper_work;

/* Measures all of the steps, until the session is over. */
void paper_work_run(const paper_work *work);

/* The same of a step on formats. */
void paper_work_formats(const paper_work *work);

/* The same of steps whose kernels run as the paper ran them (printed.c). */
void paper_printed(const paper_work *work, const bench_variants *list);

/* What the steps mean on the problem. */
tulle_status paper_work_list(const paper_work *work, bench_variants *list);

/* Calls each kernel of the steps once, for a profiler that watches between the marks, and writes a
 * row for each, in the same order. */
void paper_work_calls(const paper_work *work);

/* A row with all but the variant's measurements. */
bench_row paper_work_row(const paper_work *work, const bench_problem *problem,
                         const bench_variant *variant);

/* Measures a list of variants on the problem, which may be the matrix in another format that took
 * prep_ms to make. With `told`, what does not take the problem gets a row that says why. */
void paper_work_measure(const paper_work *work, const bench_problem *problem,
                        const bench_variants *list, double prep_ms, bool told);

/* Prints a table of what was measured, where tables are wanted. */
void paper_work_report(const paper_work *work, const bench_row *rows, int count);

/* Writes a row for what was refused, with the last failure as the reason. */
void paper_work_refused(const paper_work *work, const bench_row *row);

#endif
