/* SPDX-License-Identifier: Apache-2.0 */
/* A merge sort: sorted runs are merged two by two into runs twice as long, from one array into
 * another. */
#include "mesh/sort.h"

#include <string.h>

enum { RUN = 16 }; /* number of items that are sorted by insertion */

typedef struct sorting {
    tulle_ctx *ctx;
    const char *what;
    int64_t count, size;
    int (*compare)(const void *, const void *);
    int64_t done, all; /* number of items handled, and to be handled, in all passes */
} sorting;

static tulle_status tell(sorting *s, int64_t items) {
    const int64_t before = s->done / TULLE__ASK;
    s->done += items;
    if (s->done / TULLE__ASK == before) return TULLE_OK;
    return tulle__progress(s->ctx, s->what, s->done, s->all);
}

/* Sorts a run of a few items by insertion; `moving` has room for one item. */
static void insert(const sorting *s, char *run, int64_t count, char *moving) {
    const size_t size = (size_t)s->size;
    for (int64_t i = 1; i < count; i++) {
        int64_t to = i;
        while (to > 0 && s->compare(run + (to - 1) * s->size, run + i * s->size) > 0) to--;
        if (to == i) continue;
        memcpy(moving, run + i * s->size, size);
        memmove(run + (to + 1) * s->size, run + to * s->size, (size_t)(i - to) * size);
        memcpy(run + to * s->size, moving, size);
    }
}

static tulle_status make_runs(sorting *s, char *items, char *moving) {
    for (int64_t first = 0; first < s->count; first += RUN) {
        const int64_t left = s->count - first, count = left < RUN ? left : RUN;
        insert(s, items + first * s->size, count, moving);
        TULLE__TRY(tell(s, count));
    }
    return TULLE_OK;
}

/* Merges the run from `first` to `middle` with the run from `middle` to `end`. */
static tulle_status merge(sorting *s, const char *from, char *to, int64_t first, int64_t middle,
                          int64_t end) {
    int64_t a = first, b = middle;
    for (int64_t k = first, told = first; k < end; k++) {
        const bool left =
            b == end || (a < middle && s->compare(from + a * s->size, from + b * s->size) <= 0);
        memcpy(to + k * s->size, from + (left ? a++ : b++) * s->size, (size_t)s->size);
        if (k + 1 < end && k + 1 - told < TULLE__ASK) continue;
        TULLE__TRY(tell(s, k + 1 - told));
        told = k + 1;
    }
    return TULLE_OK;
}

static tulle_status merge_runs(sorting *s, char *items, char *other) {
    char *from = items, *to = other;
    for (int64_t run = RUN; run < s->count; run *= 2) {
        for (int64_t first = 0; first < s->count; first += 2 * run) {
            const int64_t left = s->count - first;
            TULLE__TRY(merge(s, from, to, first, first + (left < run ? left : run),
                             first + (left < 2 * run ? left : 2 * run)));
        }
        char *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items) memcpy(items, from, (size_t)(s->count * s->size));
    return TULLE_OK;
}

tulle_status tulle__sort(tulle_ctx *ctx, const char *what, void *items, int64_t count, int64_t size,
                         int (*compare)(const void *, const void *)) {
    sorting s = {.ctx = ctx, .what = what, .count = count, .size = size, .compare = compare};
    size_t bytes;
    if (count < 2) return TULLE_OK;
    s.all = count;
    for (int64_t run = RUN; run < count; run *= 2) s.all += count;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    char *other = tulle__host_alloc(ctx, bytes);
    if (!other) return TULLE_OUT_OF_MEMORY;
    tulle_status status = make_runs(&s, items, other);
    if (status == TULLE_OK) status = merge_runs(&s, items, other);
    tulle__host_free(ctx, other);
    return status;
}
