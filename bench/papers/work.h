/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment of a paper on one matrix in one type. */
#ifndef BENCH_PAPERS_WORK_H
#define BENCH_PAPERS_WORK_H

#include "bench/papers/paper.h"
#include "bench/session.h"

typedef struct bench_work {
    bench_session *session;
    const bench_matrix *matrix;
    const bench_problem *problem; /* the matrix as CSR */
    const bench_step *step;       /* the first of its steps; one of formats stands alone */
    int step_count;
    bench_experiment experiment;
} bench_work;

/* Measures all of the steps, until the session is over. */
void bench_work_run(const bench_work *work);

/* The same of a step on formats. */
void bench_work_formats(const bench_work *work);

/* What the steps mean on the problem. */
tulle_status bench_work_list(const bench_work *work, bench_variants *list);

/* Calls each kernel of the steps once, for a profiler that watches between the marks, and writes a
 * row for each, in the same order. */
void bench_work_calls(const bench_work *work);

/* A row with all but the variant's measurements. */
bench_row bench_work_row(const bench_work *work, const bench_problem *problem,
                         const bench_variant *variant);

/* Measures a list of variants on the problem, which may be the matrix in another format that took
 * prep_ms to make. With `told`, what does not take the problem gets a row that says why. */
void bench_work_measure(const bench_work *work, const bench_problem *problem,
                        const bench_variants *list, double prep_ms, bool told);

/* Writes a row for what was refused, with the last failure as the reason. */
void bench_work_refused(const bench_work *work, const bench_row *row);

#endif
