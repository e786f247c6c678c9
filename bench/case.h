/* SPDX-License-Identifier: Apache-2.0 */
/* One matrix in one type and one transposition: all its variants, for vectors and for blocks. */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include "bench/session.h"

/* Whether an earlier run has all rows of the case already; known before the matrix is opened. */
bool bench_case_known(const bench_session *session, const bench_matrix *matrix, tulle_type type,
                      tulle_trans trans);

/* Whether the session has seen this variant; index NULL: in any index type. */
bool bench_case_seen(const bench_session *session, const bench_matrix *matrix, tulle_type type,
                     const char *index, tulle_trans trans, const bench_variant *variant);

/* Measures those of the variants that were not seen, writes their rows and hands them to `noted`
 * (NULL: nobody). convert_ms: what bringing A into its format took. */
typedef void bench_case_noted(bench_session *session, const bench_row *rows, int count);
void bench_case_variants(bench_session *session, const bench_matrix *matrix,
                         const bench_problem *problem, double convert_ms,
                         const bench_variants *list, bench_case_noted *noted);

/* Measures what is left of it, until the session is over. */
void bench_case_run(bench_session *session, const bench_matrix *matrix, tulle_mat *A,
                    tulle_trans trans);

#endif
