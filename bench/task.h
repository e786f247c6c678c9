/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_TASK_H
#define BENCH_TASK_H

#include <stdint.h>

#include "tulle/advanced.h"

struct bench_variant;

/* A way to compute, ready for one problem: a peer's, or tulle's own. */
typedef struct bench_task {
    const struct bench_variant *variant; /* what is asked for, before it is prepared */
    void *state;
    double prep_ms;      /* that its preprocessing took; 0: it has none */
    double convert_ms;   /* that bringing operands into another form took, once; 0: nothing did */
    int64_t extra_bytes; /* of memory beside the matrix, x and y */
    int threads;         /* 0 on a GPU */
    int64_t iterations;  /* of an iterative method, in a call; 0: the problem's */
    tulle_choice choice; /* what the library said that it runs; kernel NULL: it was not asked */
} bench_task;

#endif
