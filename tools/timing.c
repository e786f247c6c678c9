/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

#include <stdlib.h>

#include "error.h"
#include "progress.h"
#include "tulle/advanced.h"

static tulle_status run(tulle_clock *clock, int repeat, tulle_status (*call)(void *user),
                        void *user) {
    tulle_status status = tulle_clock_mark(clock, 0);
    for (int i = 1; i <= repeat && status == TULLE_OK; i++) {
        if (tool_progress(NULL, "timing", i, repeat)) return TULLE_CANCELLED;
        status = call(user);
        if (status == TULLE_OK) status = tulle_clock_mark(clock, i);
    }
    return status;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static tulle_status read_times(tulle_clock *clock, int repeat, double *ms) {
    tulle_status status = TULLE_OK;
    for (int i = 0; i < repeat && status == TULLE_OK; i++) {
        status = tulle_clock_between(clock, i, i + 1, &ms[i]);
    }
    qsort(ms, (size_t)repeat, sizeof *ms, by_size);
    return status;
}

tulle_status tool_time(tulle_ctx *ctx, int repeat, tulle_status (*call)(void *user), void *user,
                       tool_timing *timing) {
    *timing = (tool_timing){0};
    tulle_clock *clock = NULL;
    double *ms = tool_alloc((size_t)repeat, sizeof *ms);
    tulle_status status = tulle_clock_create(ctx, repeat + 1, &clock);
    if (status == TULLE_OK) status = run(clock, repeat, call, user);
    if (status == TULLE_OK) status = read_times(clock, repeat, ms);
    if (status == TULLE_OK) {
        *timing = (tool_timing){.median = (ms[(repeat - 1) / 2] + ms[repeat / 2]) / 2,
                                .q10 = ms[(repeat - 1) / 10],
                                .q90 = ms[repeat - 1 - (repeat - 1) / 10]};
    }
    free(ms);
    tulle_clock_destroy(clock);
    tool_progress_end();
    return status;
}

tulle_status tool_bandwidth(tulle_ctx *ctx, double *gbs) {
    tulle_status status = tulle_ctx_copy_bandwidth(ctx, gbs);
    if (status != TULLE_OUT_OF_MEMORY) return status;
    *gbs = 0;
    return TULLE_OK;
}
