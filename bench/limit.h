/* SPDX-License-Identifier: Apache-2.0 */
/* How long a call that is measured may take: it is then cancelled, through the library's progress
 * callback, and left out as what there is no memory for is. */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include <stdbool.h>

#include "tulle/context.h"

typedef struct bench_limit {
    double seconds; /* 0: no limit */
    double until;   /* on the clock of tulle__seconds; 0: time does not count now */
    bool passed;    /* since it began to count */
} bench_limit;

/* Time begins to count, and counts no more. */
void bench_limit_begin(bench_limit *limit);
void bench_limit_end(bench_limit *limit);

/* Calls in this context are stopped by it; *limit must stay where it is. */
tulle_status bench_limit_watch(bench_limit *limit, tulle_ctx *ctx);

/* Why a call ended, where it was that: "it took longer than 60 s". */
enum { BENCH_LIMIT_TEXT = 64 };
const char *bench_limit_text(const bench_limit *limit, char text[BENCH_LIMIT_TEXT]);

#endif
