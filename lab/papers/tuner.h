/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner at work while a system is solved. */
#ifndef PAPERS_TUNER_H
#define PAPERS_TUNER_H

#include "lab/papers/work.h"

/* The search on the work's matrix, made the matrix of a system where it is none (bench/system.h),
 * during CG, or where it is not symmetric during BiCGStab, beside the exhaustive search. */
void paper_tuner(const paper_work *work);

/* That system's matrix and the method for it. */
tulle_status paper_system_of(const paper_work *work, tulle_mat **A, tulle_method *method);

/* Newton's method for -div((1 + u^2) grad u) = f, whose linear systems differ in values alone: one
 * tuner for all of them. In f64; a row for
 * each step. */
tulle_status paper_newton(bench_session *session, const bench_experiment *experiment, bool quick);

#endif
