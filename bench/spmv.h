/* SPDX-License-Identifier: Apache-2.0 */
/* Y = alpha op(A) X + beta Y by tulle_spmv or tulle_spmm, as one trial. */
#ifndef BENCH_SPMV_H
#define BENCH_SPMV_H

#include "bench/operation.h"

/* Holds what a trial may choose (bench_given.options); the benchmark takes bench_spmv_plain. */
typedef struct bench_spmv_options {
    bool multivectors;     /* by tulle_spmm also where X has one column */
    tulle_layout y_layout; /* of Y, where multivectors; X has the block's */
    double alpha, beta;
    const char *x, *y; /* "ones", "random" or a file: X, and, where beta is not 0, Y before */
    int64_t calls;     /* that BENCH_OPTIMISE is to pay after; 0: the library's own number */
} bench_spmv_options;

/* Y = op(A) X, X random. */
extern const bench_spmv_options bench_spmv_plain;

static inline bool bench_is_product(const bench_problem *problem) {
    return problem->operation == &bench_operation_spmv;
}

/* Of an open problem: what the library said when it optimised. */
const tulle_optimize_report *bench_spmv_optimized(const bench_problem *problem);

/* A product with random X. After a failure there is nothing to close. */
tulle_status bench_spmv_open(tulle_ctx *ctx, tulle_mat *A, tulle_trans trans, bench_block block,
                             uint64_t seed, bool check, bench_problem *problem);

#endif
