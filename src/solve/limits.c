/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/limits.h"

#include <math.h>

#include "core/context.h"
#include "core/stopwatch.h"

void tulle__limits_begin(tulle__limits *limits, tulle_ctx *ctx, double max_seconds) {
    *limits = (tulle__limits){.ctx = ctx};
    if (max_seconds > 0) limits->deadline = tulle__seconds() + max_seconds;
}

double tulle__limits_left(const tulle__limits *limits) {
    static const double least = 1e-6;
    return limits->deadline > 0 ? fmax(limits->deadline - tulle__seconds(), least) : 0;
}

bool tulle__limits_reached(const tulle__limits *limits) {
    return limits->deadline > 0 && tulle__seconds() >= limits->deadline;
}

static int watch(void *user, const char *what, int64_t done, int64_t total) {
    tulle__limits *limits = user;
    const int said = limits->progress ? limits->progress(limits->user, what, done, total) : 0;
    if (said != 0 || !tulle__limits_reached(limits)) return said;
    limits->over = true;
    return 1;
}

void tulle__limits_watch(tulle__limits *limits) {
    if (limits->deadline == 0) return;
    limits->progress = limits->ctx->progress;
    limits->user = limits->ctx->progress_user;
    limits->ctx->progress = watch;
    limits->ctx->progress_user = limits;
}

void tulle__limits_rest(tulle__limits *limits) {
    if (limits->deadline == 0) return;
    limits->ctx->progress = limits->progress;
    limits->ctx->progress_user = limits->user;
}
