/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/fresh.h"

#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"

/* The number of samples is at most that of tools/common/timing.c. */
enum { MOST_SAMPLES = 200 };

static tulle_status sample(const bench_fresh *f, double *ms) {
    tulle_status status = f->before ? f->before(f->user) : TULLE_OK;
    if (status == TULLE_OK) status = tulle_ctx_synchronize(f->ctx);
    if (status != TULLE_OK) return status;
    double start = tulle__seconds();
    status = f->make(f->user);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(f->ctx);
    *ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK && tool_interrupted()) status = TULLE_CANCELLED;
    if (status != TULLE_OK) f->drop(f->user);
    return status;
}

static tulle_status take(const bench_fresh *f, int64_t samples, double *ms) {
    tulle_status status = sample(f, &ms[0]);
    for (int64_t s = 1; s < samples && status == TULLE_OK; s++) {
        f->drop(f->user);
        status = sample(f, &ms[s]);
    }
    return status;
}

static int64_t samples_within(const tool_budget *budget, double one_ms) {
    double fit = 1e3 * budget->seconds / (one_ms + 1e-6);
    int64_t samples = fit < MOST_SAMPLES ? (int64_t)fit : MOST_SAMPLES;
    return samples > budget->repeat ? samples : budget->repeat;
}

tulle_status bench_fresh_time(const bench_fresh *fresh, const tool_budget *budget,
                              tool_timing *timing) {
    double first = 0;
    *timing = (tool_timing){.batch = 1};
    tulle_status status = sample(fresh, &first);
    if (status != TULLE_OK) return status;
    fresh->drop(fresh->user);
    int64_t samples = samples_within(budget, first);
    double *ms = tool_alloc((size_t)samples, sizeof *ms);
    status = take(fresh, samples, ms);
    if (status == TULLE_OK) tool_timing_of(ms, samples, timing);
    free(ms);
    return status;
}
