/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha op(A) + beta op(B) by tulle_add, as one trial. */
#ifndef BENCH_ADD_H
#define BENCH_ADD_H

#include "bench/making.h"
#include "tulle/add.h"

/* Holds the choices of a trial (bench_given.options); the benchmark adds A and B as they are. */
typedef struct bench_add_options {
    tulle_trans op_a, op_b;
    double alpha, beta;
    tulle_add_options call;
} bench_add_options;

#endif
