/* SPDX-License-Identifier: Apache-2.0 */
/* Y = alpha op(A) X + beta Y by tulle_spmv or tulle_spmm, as one trial. */
#ifndef TRIAL_SPMV_H
#define TRIAL_SPMV_H

#include "trials/operation.h"

/* Holds what a trial may choose (trial_given.options); the benchmark takes trial_spmv_plain. */
typedef struct trial_spmv_options {
    bool multivectors;     /* true: tulle_spmm computes also where X has one column */
    tulle_layout y_layout; /* layout of Y, for multivectors; X has the block's */
    double alpha, beta;
    const char *x, *y; /* "ones", "random" or a file: X, and, where beta is not 0, Y before */
    int64_t calls;     /* number of calls after which TRIAL_OPTIMISE is to pay; 0: the library's */
} trial_spmv_options;

/* Y = op(A) X, X random. */
extern const trial_spmv_options trial_spmv_plain;

static inline bool trial_is_product(const trial_problem *problem) {
    return problem->operation == &trial_operation_spmv;
}

/* Returns the library's report of optimising the matrix of an open problem. */
const tulle_optimize_report *trial_spmv_optimized(const trial_problem *problem);

/* Opens a problem of a product with random X. After a failure there is nothing to close. */
tulle_status trial_spmv_open(tulle_ctx *ctx, tulle_mat *A, tulle_trans trans, trial_block block,
                             uint64_t seed, bool check, trial_problem *problem);

#endif
