/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/timing.h"

#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"

enum { MOST_SAMPLES = 200, MOST_BATCH = 1000, MOST_COLD = 20, LEAST_COLD = 3 };

/* The shortest sample takes this many ms: far more than two marks take, and than a clock
 * resolves. */
static const double shortest_sample = 0.2;

/* A call of so many ms gains nothing from warm caches: where one sample is enough, its first call
 * is that sample, and the cold one as well. */
static const double long_call = 1000;

/* One measurement under way. */
typedef struct stopwatch {
    tulle_ctx *ctx;
    tulle_clock *clock;
    tool_call call;
    void *user;
    bool told; /* progress is reported between the samples */
} stopwatch;

/* Takes `samples` samples of `batch` calls each, with nothing between them but a mark. */
static tulle_status take(const stopwatch *w, int64_t samples, int64_t batch, double *ms) {
    tulle_status status = tulle_clock_mark(w->clock, 0);
    for (int s = 0; s < samples && status == TULLE_OK; s++) {
        if (w->told && tool_progress(NULL, "timing", s + 1, samples)) return TULLE_CANCELLED;
        for (int64_t b = 0; b < batch && status == TULLE_OK; b++) status = w->call(w->user);
        if (status == TULLE_OK) status = tulle_clock_mark(w->clock, s + 1);
    }
    for (int s = 0; s < samples && status == TULLE_OK; s++) {
        status = tulle_clock_between(w->clock, s, s + 1, &ms[s]);
        ms[s] /= (double)batch;
    }
    return status;
}

/* Finds the batch that makes a sample long enough, then goes on until everything is warm; counts
 * the calls. */
static tulle_status warm_up(const stopwatch *w, double seconds, int64_t *batch, int64_t *calls,
                            double *ms) {
    double end = tulle__seconds() + seconds;
    *batch = 1;
    for (;;) {
        tulle_status status = take(w, 1, *batch, ms);
        *calls += *batch;
        if (status != TULLE_OK) return status;
        bool short_sample = *ms * (double)*batch < shortest_sample && *batch < MOST_BATCH;
        if (short_sample) *batch = 2 * *batch < MOST_BATCH ? 2 * *batch : MOST_BATCH;
        if (!short_sample && tulle__seconds() >= end) return TULLE_OK;
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

static int64_t samples_within(const tool_budget *budget, double sample_ms) {
    double fit = 1e3 * budget->seconds / sample_ms;
    int64_t samples = fit < MOST_SAMPLES ? (int64_t)fit : MOST_SAMPLES;
    return samples > budget->repeat ? samples : budget->repeat;
}

void tool_timing_of(double *ms, int64_t samples, tool_timing *timing) {
    qsort(ms, (size_t)samples, sizeof *ms, ascending);
    timing->samples = samples;
    timing->ms = quantile(ms, samples, 0.5);
    timing->q10 = quantile(ms, samples, 0.1);
    timing->q90 = quantile(ms, samples, 0.9);
}

void tool_timing_share(tool_timing *timing, int64_t parts) {
    double *const times[] = {&timing->ms, &timing->q10, &timing->q90, &timing->cold};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) *times[i] /= (double)parts;
    timing->batch *= parts;
}

static tulle_status time_warm(const stopwatch *w, const tool_budget *budget, double *ms,
                              tool_timing *timing) {
    if (budget->mean_of) {
        timing->batch = budget->mean_of;
        tulle_status taken = take(w, 1, timing->batch, ms);
        if (taken == TULLE_OK) tool_timing_of(ms, 1, timing);
        return taken;
    }
    double estimate = 0;
    int64_t calls = 0;
    tulle_status status = warm_up(w, 0.2 * budget->seconds, &timing->batch, &calls, &estimate);
    if (status != TULLE_OK) return status;
    if (budget->repeat == 1 && estimate > long_call) {
        *ms = estimate;
        timing->cold = estimate;
        timing->once = calls == 1;
        tool_timing_of(ms, 1, timing);
        return TULLE_OK;
    }
    int64_t samples = samples_within(budget, estimate * (double)timing->batch + 1e-6);
    status = take(w, samples, timing->batch, ms);
    if (status == TULLE_OK) tool_timing_of(ms, samples, timing);
    return status;
}

static tulle_status time_cold(const stopwatch *w, const tool_budget *budget, double *ms,
                              tool_timing *timing) {
    double end = tulle__seconds() + budget->seconds;
    int least = budget->repeat < LEAST_COLD ? (int)budget->repeat : LEAST_COLD;
    int count = 0;
    while (count < least || (count < MOST_COLD && tulle__seconds() < end)) {
        tulle_status status = tulle_ctx_flush_cache(w->ctx);
        if (status == TULLE_OK) status = take(w, 1, 1, &ms[count]);
        if (status != TULLE_OK) return status;
        count++;
    }
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    timing->cold = quantile(ms, count, 0.5);
    return TULLE_OK;
}

/* Gives the stopwatch its clock, and makes room for so many samples. */
static tulle_status wind(stopwatch *w, int64_t samples, double **ms) {
    tulle_status status = tulle_clock_create(w->ctx, (int)samples + 1, &w->clock);
    *ms = status == TULLE_OK ? tool_alloc((size_t)samples, sizeof **ms) : NULL;
    return status;
}

tulle_status tool_time(tulle_ctx *ctx, int repeat, tool_call call, void *user,
                       tool_timing *timing) {
    stopwatch w = {.ctx = ctx, .call = call, .user = user, .told = true};
    double *ms;
    *timing = (tool_timing){.batch = 1};
    tulle_status status = wind(&w, repeat, &ms);
    if (status == TULLE_OK) status = take(&w, repeat, 1, ms);
    if (status == TULLE_OK) tool_timing_of(ms, repeat, timing);
    free(ms);
    tulle_clock_destroy(w.clock);
    tool_progress_end();
    return status;
}

tulle_status tool_time_well(tulle_ctx *ctx, const tool_budget *budget, tool_call call, void *user,
                            tool_timing *timing) {
    int64_t most = budget->repeat > MOST_SAMPLES ? budget->repeat : MOST_SAMPLES;
    stopwatch w = {.ctx = ctx, .call = call, .user = user};
    double *ms;
    timing->cold = 0;
    timing->once = false;
    tulle_status status = wind(&w, most, &ms);
    if (status == TULLE_OK) status = time_warm(&w, budget, ms, timing);
    if (status == TULLE_OK && timing->cold <= 0) status = time_cold(&w, budget, ms, timing);
    free(ms);
    tulle_clock_destroy(w.clock);
    return status;
}

tulle_status tool_bandwidth(tulle_ctx *ctx, double *gbs) {
    tulle_status status = tulle_ctx_copy_bandwidth(ctx, gbs);
    if (status != TULLE_OUT_OF_MEMORY) return status;
    *gbs = 0;
    return TULLE_OK;
}
