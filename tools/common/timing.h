/* SPDX-License-Identifier: Apache-2.0 */
/* Times calls by the context's own clock. */
#ifndef TOOL_TIMING_H
#define TOOL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/advanced.h"

/* A budget of measuring: at least `repeat` samples, and more while `seconds` last. */
typedef struct tool_budget {
    int64_t repeat;
    double seconds;
    int64_t mean_of; /* not 0: one sample alone is taken, the mean of so many calls */
} tool_budget;

/* Times of one call in milliseconds. A sample is the mean of `batch` calls: short calls are timed
 * in batches, so that reading the clock does not count. */
typedef struct tool_timing {
    double ms, q10, q90; /* median and quantiles of the samples */
    double cold;         /* median of single calls, where they were measured */
    int64_t samples, batch;
    bool
        once; /* true: the work was called only once, so its operands hold the result of one call */
} tool_timing;

/* A call to be measured, which puts its work into the context's flow. */
typedef tulle_status (*tool_call)(void *user);

TULLE_BEGIN

/* Times a call `repeat` times back to back. Fails as the call does, or with TULLE_CANCELLED. */
tulle_status tool_time(tulle_ctx *ctx, int repeat, tool_call call, void *user, tool_timing *timing);

/* Times a call after warming up, in batches, and then with the caches filled with other data before
 * each call. Where one sample is enough, a call of more than a second is made once. */
tulle_status tool_time_well(tulle_ctx *ctx, const tool_budget *budget, tool_call call, void *user,
                            tool_timing *timing);

/* Changes the times of a call to those of one of its `parts` equal parts. */
void tool_timing_share(tool_timing *timing, int64_t parts);

/* Sorts samples, and finds their number, median and quantiles. */
void tool_timing_of(double *ms, int64_t samples, tool_timing *timing);

/* Measures the bandwidth of the context's memory; 0 where there is no memory to measure it with. */
tulle_status tool_bandwidth(tulle_ctx *ctx, double *gbs);

TULLE_END
#endif
