/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the tuner while systems are solved. */
#ifndef PAPERS_TUNER_H
#define PAPERS_TUNER_H

#include "bench/tuning.h"
#include "lab/papers/work.h"

/* Measures the tuner's search during CG, or during BiCGStab where the matrix is not symmetric, and
 * the exhaustive search, both in the step's domain, on the matrix of paper_system_of. Does nothing
 * where the place has no kernel of the domain's name. */
void paper_tuner(const paper_work *work);

/* Makes the matrix of a system from the work's matrix (trials/system.h), and finds a method for it.
 */
tulle_status paper_system_of(const paper_work *work, tulle_mat **A, tulle_method *method);

/* Measures one tuner during Newton's method for -div((1 + u^2) grad u) = f in f64, whose linear
 * systems differ in values alone. domain: kernel and parameters of the search; NULL: the search is
 * tulle's own. Writes a row for each step and, with a domain, a row for each product until the
 * tuner has settled. */
tulle_status paper_newton(bench_session *session, const bench_experiment *experiment,
                          const char *domain, bool quick);

/* Counts, writes and prints the measurements of a tuning. */
void paper_tuning_keep(bench_session *session, const bench_experiment *experiment,
                       const bench_tuning *tuning);

/* Set the context's rule to that of Reguly and Giles, if there is a domain, and back to tulle's
 * own. */
tulle_status paper_domain_begin(tulle_ctx *ctx, const char *domain);
tulle_status paper_domain_end(tulle_ctx *ctx, const char *domain, tulle_status status);

#endif
