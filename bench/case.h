/* SPDX-License-Identifier: Apache-2.0 */
/* One matrix in one type and one transposition: all its variants, for vectors and for blocks. */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include "bench/session.h"

/* Whether an earlier run has all rows of the case already; known before the matrix is opened. */
bool bench_case_known(const bench_session *session, const bench_matrix *matrix, tulle_type type,
                      tulle_trans trans);

/* Measures what is left of it, until the session is over. */
void bench_case_run(bench_session *session, const bench_matrix *matrix, tulle_mat *A,
                    tulle_trans trans);

#endif
