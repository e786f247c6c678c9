/* SPDX-License-Identifier: Apache-2.0 */
/* A triangular system op(T) X = alpha B, T a triangle of A, as one trial. */
#ifndef BENCH_TRISOLVE_H
#define BENCH_TRISOLVE_H

#include "bench/operation.h"

/* Holds what a trial may choose (bench_given.options); the benchmark takes bench_trisolve_plain. */
typedef struct bench_trisolve_options {
    tulle_diag diag;
    double alpha;
    const char *b; /* "ones", "random" or a file with the numbers of B */
} bench_trisolve_options;

/* op(T) X = B, T with its own diagonal and B random. */
extern const bench_trisolve_options bench_trisolve_plain;

/* Of an open problem: the analysis of T's pattern. */
const tulle_trisolve_info *bench_trisolve_analysis(const bench_problem *problem);

/* Of an open problem: how many numbers of X, which is on the host, are not finite; 0 where B has
 * such numbers, too. */
int64_t bench_trisolve_not_finite(const bench_problem *problem, const void *x);

#endif
