/* SPDX-License-Identifier: Apache-2.0 */
/* A case is one matrix, size or mesh in one type: every way of computing with it that a run asks
 * for, and all variants of each way. */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include "bench/session.h"

/* Returns whether an earlier run has all rows of the case already, which is known before a matrix
 * is opened. */
bool bench_case_known(const bench_session *session, const bench_matrix *matrix, tulle_type type);

/* Measures with A those rows of the case that are missing, until the session is over. */
void bench_case_run(bench_session *session, const bench_matrix *matrix, tulle_mat *A);

/* Measures the case of an operation that takes a size, with so many problems of that size at
 * once. */
void bench_case_run_size(bench_session *session, const bench_matrix *matrix, int64_t count,
                         int64_t n, tulle_type type);

/* Measures the case of an operation that takes a mesh, which the matrix's name specifies. */
void bench_case_run_mesh(bench_session *session, const bench_matrix *matrix, tulle_type type);

#endif
