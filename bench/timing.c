/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/timing.h"

#include <stdlib.h>

#include "clock.h"
#include "error.h"

enum { MOST_SAMPLES = 200, MOST_BATCH = 1000, MOST_COLD = 20, LEAST_COLD = 3 };

/* The shortest sample, in ms: far above what two marks cost and what a clock resolves. */
static const double shortest_sample = 0.2;

/* One measurement under way. */
typedef struct stopwatch {
    tulle_ctx *ctx;
    tulle_clock *clock;
    bench_call call;
    void *user;
} stopwatch;

/* `samples` samples of `batch` calls each, nothing between them but a mark. */
static tulle_status take(const stopwatch *w, int64_t samples, int64_t batch, double *ms) {
    tulle_status status = tulle_clock_mark(w->clock, 0);
    for (int s = 0; s < samples && status == TULLE_OK; s++) {
        for (int64_t b = 0; b < batch && status == TULLE_OK; b++) status = w->call(w->user);
        if (status == TULLE_OK) status = tulle_clock_mark(w->clock, s + 1);
    }
    for (int s = 0; s < samples && status == TULLE_OK; s++) {
        status = tulle_clock_between(w->clock, s, s + 1, &ms[s]);
        ms[s] /= (double)batch;
    }
    return status;
}

/* Finds the batch that makes a sample long enough, then goes on until everything is warm. */
static tulle_status warm_up(const stopwatch *w, double seconds, int64_t *batch, double *ms) {
    double end = tool_now() + seconds;
    *batch = 1;
    for (;;) {
        tulle_status status = take(w, 1, *batch, ms);
        if (status != TULLE_OK) return status;
        bool short_sample = *ms * (double)*batch < shortest_sample && *batch < MOST_BATCH;
        if (short_sample) *batch = 2 * *batch < MOST_BATCH ? 2 * *batch : MOST_BATCH;
        if (!short_sample && tool_now() >= end) return TULLE_OK;
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int64_t count, double q) {
    double place = q * (double)(count - 1);
    int64_t below = (int64_t)place;
    int64_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

static int64_t samples_within(const bench_budget *budget, double sample_ms) {
    double fit = 1e3 * budget->seconds / sample_ms;
    int64_t samples = fit < MOST_SAMPLES ? (int64_t)fit : MOST_SAMPLES;
    return samples > budget->repeat ? samples : budget->repeat;
}

static tulle_status time_warm(const stopwatch *w, const bench_budget *budget, double *ms,
                              bench_timing *timing) {
    double estimate = 0;
    tulle_status status = warm_up(w, 0.2 * budget->seconds, &timing->batch, &estimate);
    if (status != TULLE_OK) return status;
    timing->samples = samples_within(budget, estimate * (double)timing->batch + 1e-6);
    status = take(w, timing->samples, timing->batch, ms);
    if (status != TULLE_OK) return status;
    qsort(ms, (size_t)timing->samples, sizeof *ms, ascending);
    timing->ms = quantile(ms, timing->samples, 0.5);
    timing->q10 = quantile(ms, timing->samples, 0.1);
    timing->q90 = quantile(ms, timing->samples, 0.9);
    return TULLE_OK;
}

static tulle_status time_cold(const stopwatch *w, const bench_budget *budget, double *ms,
                              bench_timing *timing) {
    double end = tool_now() + budget->seconds;
    int least = budget->repeat < LEAST_COLD ? (int)budget->repeat : LEAST_COLD;
    int count = 0;
    while (count < least || (count < MOST_COLD && tool_now() < end)) {
        tulle_status status = tulle_ctx_flush_cache(w->ctx);
        if (status == TULLE_OK) status = take(w, 1, 1, &ms[count]);
        if (status != TULLE_OK) return status;
        count++;
    }
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    timing->cold = quantile(ms, count, 0.5);
    return TULLE_OK;
}

tulle_status bench_time(tulle_ctx *ctx, const bench_budget *budget, bench_call call, void *user,
                        bench_timing *timing) {
    int64_t most = budget->repeat > MOST_SAMPLES ? budget->repeat : MOST_SAMPLES;
    stopwatch w = {.ctx = ctx, .call = call, .user = user};
    tulle_status status = tulle_clock_create(ctx, (int)most + 1, &w.clock);
    if (status != TULLE_OK) return status;
    double *ms = tool_alloc((size_t)most, sizeof *ms);
    status = time_warm(&w, budget, ms, timing);
    if (status == TULLE_OK) status = time_cold(&w, budget, ms, timing);
    free(ms);
    tulle_clock_destroy(w.clock);
    return status;
}
