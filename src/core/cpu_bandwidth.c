/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth of the CPU's memory: the STREAM triad (McCalpin, 1995), and a sweep that empties the
 * caches. */
#include <stdlib.h>

#include "core/context.h"
#include "core/stopwatch.h"

tulle_status tulle__cpu_flush_cache(const tulle__place *place);
tulle_status tulle__cpu_bandwidth(const tulle__place *place, double *gbs);

enum { RUNS = 5, ARRAYS = 3, CACHES = 2, SMALLEST_CACHE = 8 << 20, SHARE_OF_MEMORY = 16 };

/* Number of doubles of an array of twice the last-level cache, so that the three of a triad are
 * six times as large; but a small share of the machine's memory. */
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

/* The array that is swept to empty the caches: kept, because touching new pages takes longer
 * than the sweep. */
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

/* Tells the progress callback that a part of a measurement begins; where caches are large, each
 * may take a second. */
static tulle_status tell(const tulle__place *place, int part) {
    return tulle__progress(place->ctx, "measuring bandwidth", part, ARRAYS + RUNS);
}

static tulle_status measure(const tulle__place *place, double *memory, int64_t n,
                            double rate[RUNS]) {
    double *const array[ARRAYS] = {memory, memory + n, memory + 2 * n};
    for (int i = 0; i < ARRAYS; i++) {
        TULLE__TRY(tell(place, i));
        fill(place, array[i], n, i);
    }
    for (int run = 0; run < RUNS; run++) {
        TULLE__TRY(tell(place, ARRAYS + run));
        const double start = tulle__seconds();
        triad(place, array[0], array[1], array[2], n);
        rate[run] = 1e-9 * ARRAYS * (double)n * sizeof(double) / (tulle__seconds() - start);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_bandwidth(const tulle__place *place, double *gbs) {
    const int64_t n = sweep_length(place);
    void *memory = NULL;
    double rate[RUNS];
    TULLE__TRY(tulle__alloc(place->ctx, ARRAYS * (size_t)n * sizeof(double), &memory));
    const tulle_status status = measure(place, memory, n, rate);
    tulle__free(place->ctx, memory);
    TULLE__TRY(status);
    qsort(rate, RUNS, sizeof *rate, ascending);
    *gbs = rate[RUNS / 2];
    return TULLE_OK;
}
