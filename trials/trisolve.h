/* SPDX-License-Identifier: Apache-2.0 */
/* A triangular system op(T) X = alpha B, T a triangle of A, as one trial. */
#ifndef TRIAL_TRISOLVE_H
#define TRIAL_TRISOLVE_H

#include "trials/operation.h"

/* Holds what a trial may choose (trial_given.options); the benchmark takes trial_trisolve_plain. */
typedef struct trial_trisolve_options {
    tulle_diag diag;
    double alpha;
    const char *b; /* "ones", "random" or a file with the numbers of B */
} trial_trisolve_options;

/* op(T) X = B, T with its own diagonal and B random. */
extern const trial_trisolve_options trial_trisolve_plain;

/* Returns the analysis of the pattern of T of an open problem. */
const tulle_trisolve_info *trial_trisolve_analysis(const trial_problem *problem);

/* Returns the number of numbers of X, in host memory, of an open problem that are not finite; 0
 * where B has such numbers, too. */
int64_t trial_trisolve_not_finite(const trial_problem *problem, const void *x);

#endif
