/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_SPOIL_H
#define BENCH_SPOIL_H

#include "bench/problem.h"

/* Gives factors of A the values of another matrix, so that a call that computes nothing is found
 * out. Waits. */
tulle_status bench_spoil_factor(const bench_problem *problem, const tulle_mat *A, tulle_factor *F);

#endif
