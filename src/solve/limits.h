/* SPDX-License-Identifier: Apache-2.0 */
/* The time that all attempts at a system have together. */
#ifndef TULLE_SOLVE_LIMITS_H
#define TULLE_SOLVE_LIMITS_H

#include <stdbool.h>

#include "tulle/context.h"

typedef struct tulle__limits {
    tulle_ctx *ctx;
    double deadline; /* by tulle__seconds; 0: none */
    bool over;       /* work that was watched has been cancelled, since the time was over */
    tulle_progress_fn progress; /* the caller's callback while work is watched */
    void *user;
} tulle__limits;

/* Begins to count; max_seconds 0: no limit. */
void tulle__limits_begin(tulle__limits *limits, tulle_ctx *ctx, double max_seconds);

/* Returns the seconds that are left, above 0 in any case; 0 where there is no limit. */
double tulle__limits_left(const tulle__limits *limits);

/* True once the time is over. */
bool tulle__limits_reached(const tulle__limits *limits);

/* Begin and end the watch of work: they replace the context's progress callback, and put it back. A
 * watched function that tells its progress after the time is over is cancelled: it fails as
 * TULLE_CANCELLED, and `over` becomes true. */
void tulle__limits_watch(tulle__limits *limits);
void tulle__limits_rest(tulle__limits *limits);

#endif
