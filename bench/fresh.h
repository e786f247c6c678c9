/* SPDX-License-Identifier: Apache-2.0 */
/* Times calls that make something anew in each sample: from the call until the thing can be used,
 * with all the memory that the call takes; giving the memory back does not count. */
#ifndef BENCH_FRESH_H
#define BENCH_FRESH_H

#include "tools/common/timing.h"

typedef struct bench_fresh {
    tulle_ctx *ctx;
    /* called before make, and not timed; NULL: nothing is called */
    tulle_status (*before)(void *user);
    tulle_status (*make)(void *user);
    void (*drop)(void *user); /* not timed; called also after a make that failed */
    void *user;
} bench_fresh;

/* Times single calls, after one that warms up; timing->cold is 0. The thing that the last call made
 * is not dropped where all calls went well. */
tulle_status bench_fresh_time(const bench_fresh *fresh, const tool_budget *budget,
                              tool_timing *timing);

#endif
