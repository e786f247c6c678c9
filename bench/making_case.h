/* SPDX-License-Identifier: Apache-2.0 */
/* One matrix in one type, and all that makes another of it. As bench/case.h. */
#ifndef BENCH_MAKING_CASE_H
#define BENCH_MAKING_CASE_H

#include "bench/session.h"

bool bench_making_case_known(const bench_session *session, const bench_matrix *matrix,
                             tulle_type type);

void bench_making_case_run(bench_session *session, const bench_matrix *matrix, const tulle_mat *A);

#endif
