/* SPDX-License-Identifier: Apache-2.0 */
/* How long a call takes: back to back with warm caches, and after the caches were filled with other
 * data. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdint.h>

#include "tulle/advanced.h"

/* How much to measure: at least `repeat` samples, and more while `seconds` last. */
typedef struct bench_budget {
    int64_t repeat;
    double seconds;
} bench_budget;

/* Milliseconds of one call. A sample is the mean of `batch` calls: short calls are timed in
 * batches, so that reading the clock does not count. */
typedef struct bench_timing {
    double ms, q10, q90; /* median and quantiles of the samples */
    double cold;         /* median of single calls */
    int64_t samples, batch;
} bench_timing;

/* Something to be measured: puts its work into the context's flow. */
typedef tulle_status (*bench_call)(void *user);

TULLE_BEGIN

tulle_status bench_time(tulle_ctx *ctx, const bench_budget *budget, bench_call call, void *user,
                        bench_timing *timing);

TULLE_END
#endif
