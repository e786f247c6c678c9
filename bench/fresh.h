/* SPDX-License-Identifier: Apache-2.0 */
/* How long it takes to make something that is made anew in each sample: from the call until it can
 * be used, with all the memory that the call takes; giving that back does not count. */
#ifndef BENCH_FRESH_H
#define BENCH_FRESH_H

#include "tools/common/timing.h"

typedef struct bench_fresh {
    tulle_ctx *ctx;
    tulle_status (*before)(void *user); /* not timed; NULL: nothing */
    tulle_status (*make)(void *user);
    void (*drop)(void *user); /* not timed; also after a make that failed */
    void *user;
} bench_fresh;

/* Single calls, after one that warms up; timing->cold is 0. What the last call made is not dropped
 * where it all went well. */
tulle_status bench_fresh_time(const bench_fresh *fresh, const tool_budget *budget,
                              tool_timing *timing);

#endif
