/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU's memory can do: the STREAM triad (McCalpin, 1995), and a sweep that empties the
 * caches. */
#include <stdlib.h>

#include "core/context.h"
#include "core/stopwatch.h"

tulle_status tulle__cpu_flush_cache(const tulle__place *place);
tulle_status tulle__cpu_bandwidth(const tulle__place *place, double *gbs);

enum { RUNS = 5, CACHES = 2, SMALLEST_CACHE = 8 << 20, SHARE_OF_MEMORY = 16 };

/* Doubles in an array of twice the last-level cache, so that the three of a triad are six times as
 * large; but a small share of the machine's memory. */
static int64_t sweep_length(const tulle__place *place) {
    int64_t bytes = CACHES * place->ctx->info.cache_bytes;
    int64_t most = tulle__cpu_memory() / SHARE_OF_MEMORY;
    if (bytes < CACHES * SMALLEST_CACHE) bytes = CACHES * SMALLEST_CACHE;
    if (bytes > most) bytes = most;
    return bytes / (int64_t)sizeof(double);
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

/* What is swept to empty the caches: kept, because touching new pages takes longer than the sweep.
 */
static struct {
    pthread_mutex_t lock;
    double *data;
    int64_t length;
} sweep = {.lock = PTHREAD_MUTEX_INITIALIZER};

tulle_status tulle__cpu_flush_cache(const tulle__place *place) {
    pthread_mutex_lock(&sweep.lock);
    if (!sweep.data) {
        sweep.length = sweep_length(place);
        sweep.data = malloc((size_t)sweep.length * sizeof(double));
    }
    if (sweep.data) fill(place, sweep.data, sweep.length, 1.0);
    bool swept = sweep.data != NULL;
    pthread_mutex_unlock(&sweep.lock);
    if (swept) return TULLE_OK;
    return tulle__fail(TULLE_OUT_OF_MEMORY, "tulle_ctx_flush_cache", NULL, -1,
                       "no memory for a sweep of the caches");
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
        double start = tulle__seconds();
        triad(place, a, b, c, n);
        rate[run] = 1e-9 * 3.0 * (double)n * sizeof(double) / (tulle__seconds() - start);
    }
    qsort(rate, RUNS, sizeof *rate, ascending);
    *gbs = rate[RUNS / 2];
    tulle__free(place->ctx, memory);
    return TULLE_OK;
}
