/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner at work while a system is solved. */
#ifndef PAPERS_TUNER_H
#define PAPERS_TUNER_H

#include "bench/tuning.h"
#include "lab/papers/work.h"

/* The search on the work's matrix, made the matrix of a system where it is none (bench/system.h),
 * during CG, or where it is not symmetric during BiCGStab, beside the exhaustive search; both in
 * the step's domain. Nothing where the place has no kernel of that name. */
void paper_tuner(const paper_work *work);

/* That system's matrix and the method for it. */
tulle_status paper_system_of(const paper_work *work, tulle_mat **A, tulle_method *method);

/* Newton's method for -div((1 + u^2) grad u) = f, whose linear systems differ in values alone: one
 * tuner for all of them, over a domain or, NULL, as tulle tunes. In f64; a row for each step, and
 * in a domain one for each product until the tuner has settled, too. */
tulle_status paper_newton(bench_session *session, const bench_experiment *experiment,
                          const char *domain, bool quick);

/* Counts, writes and prints what a tuning has. */
void paper_tuning_keep(bench_session *session, const bench_experiment *experiment,
                       const bench_tuning *tuning);

/* Until the second: with a domain, the context's rule is that of Reguly and Giles. */
tulle_status paper_domain_begin(tulle_ctx *ctx, const char *domain);
tulle_status paper_domain_end(tulle_ctx *ctx, const char *domain, tulle_status status);

#endif
