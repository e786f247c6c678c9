/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a problem's matrix that share a pattern, with values of their own, and a batch of tasks
 * on them: as many as the problem's block has vectors. */
#ifndef BENCH_COPIES_H
#define BENCH_COPIES_H

#include "bench/batch.h"
#include "bench/operation.h"

typedef struct bench_copies {
    const bench_problem *problem;
    int64_t count;
    tulle_mat **A; /* [count] */
    tulle_batch *batch;
} bench_copies;

/* To be closed, also after a failure. The batch has no tasks. */
tulle_status bench_copies_open(const bench_problem *problem, bench_copies *copies);
void bench_copies_close(bench_copies *copies);

/* Runs the batch as the problem's detail says. */
tulle_status bench_copies_run(const bench_copies *copies);

/* The first, the middle and the last copy, which are checked: number i of three. */
int64_t bench_copies_sample(int64_t count, int i);

#endif
