/* SPDX-License-Identifier: Apache-2.0 */
/* One matrix, or one size, in one type, and all ways to act on it. As bench/case.h. */
#ifndef BENCH_ACTING_CASE_H
#define BENCH_ACTING_CASE_H

#include "bench/session.h"

bool bench_acting_case_known(const bench_session *session, const bench_matrix *matrix,
                             tulle_type type);

/* Of A as the actor chooses it, or with a dominant diagonal. */
void bench_acting_case_run(bench_session *session, const bench_matrix *matrix, tulle_mat *A);

/* Of an action that takes a size, and so many problems of it at once. */
void bench_acting_case_run_size(bench_session *session, const bench_matrix *matrix, int64_t count,
                                int64_t n, tulle_type type);

/* Of an action that takes a mesh, by the matrix's name. */
void bench_acting_case_run_mesh(bench_session *session, const bench_matrix *matrix,
                                tulle_type type);

#endif
