/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU's memory can do: the STREAM triad (McCalpin, 1995), and a sweep that empties the
 * caches. */
#include <stdlib.h>
#include <time.h>

#include "core/context.h"

tulle_status tulle__cpu_flush_cache(const tulle__place *place);
tulle_status tulle__cpu_bandwidth(const tulle__place *place, double *gbs);

enum { RUNS = 9, SMALLEST_CACHE = 8 << 20, LARGEST_CACHE = 256 << 20, CACHES = 4 };

/* Doubles that are several times the last-level cache. */
static int64_t sweep_length(const tulle__place *place) {
    int64_t cache = place->ctx->info.cache_bytes;
    if (cache < SMALLEST_CACHE) cache = SMALLEST_CACHE;
    if (cache > LARGEST_CACHE) cache = LARGEST_CACHE;
    return CACHES * cache / (int64_t)sizeof(double);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill(const tulle__place *place, double *a, int64_t n, double value) {
#pragma omp parallel for num_threads(place->threads) schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = value;
}

static void triad(const tulle__place *place, double *restrict a, const double *restrict b,
                  const double *restrict c, int64_t n) {
#pragma omp parallel for simd num_threads(place->threads) schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

tulle_status tulle__cpu_flush_cache(const tulle__place *place) {
    int64_t n = sweep_length(place);
    void *sweep = NULL;
    TULLE__TRY(tulle__alloc(place->ctx, (size_t)n * sizeof(double), &sweep));
    fill(place, sweep, n, 1.0);
    tulle__free(place->ctx, sweep);
    return TULLE_OK;
}

tulle_status tulle__cpu_bandwidth(const tulle__place *place, double *gbs) {
    int64_t n = sweep_length(place);
    void *memory = NULL;
    TULLE__TRY(tulle__alloc(place->ctx, 3 * (size_t)n * sizeof(double), &memory));
    double *a = memory, *b = a + n, *c = b + n;
    fill(place, a, n, 0.0);
    fill(place, b, n, 1.0);
    fill(place, c, n, 2.0);
    double rate[RUNS];
    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        triad(place, a, b, c, n);
        rate[run] = 1e-9 * 3.0 * (double)n * sizeof(double) / (seconds() - start);
    }
    qsort(rate, RUNS, sizeof *rate, ascending);
    *gbs = rate[RUNS / 2];
    tulle__free(place->ctx, memory);
    return TULLE_OK;
}
