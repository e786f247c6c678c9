/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/bisect.h"
#include "core/threads/sizes.h"

#include <math.h>
#include <stdlib.h>

/* Patches from first to before end, whose elements are together. */
typedef struct part {
    int64_t first, end;
} part;

typedef struct bisection {
    tulle__centre *centres;
    double scale[3]; /* elements to a unit of length */
    int64_t *begins;
} bisection;

static bool is_before(const tulle__centre *a, const tulle__centre *b, int d) {
    return a->at[d] < b->at[d] || (a->at[d] == b->at[d] && a->element < b->element);
}

static void swap(tulle__centre *a, tulle__centre *b) {
    const tulle__centre kept = *a;
    *a = *b;
    *b = kept;
}

/* The middle one of three. */
static tulle__centre pivot_of(const tulle__centre *a, const tulle__centre *b,
                              const tulle__centre *c, int d) {
    if (is_before(b, a, d)) {
        const tulle__centre *kept = a;
        a = b;
        b = kept;
    }
    if (is_before(c, a, d)) return *a;
    return is_before(c, b, d) ? *c : *b;
}

/* Moves the elements that belong before position `at` of [low, high) before it, by C. A. R. Hoare's
 * "Algorithm 65: Find". */
static void separate(tulle__centre *c, int64_t low, int64_t high, int64_t at, int d) {
    while (high - low > 1) {
        const tulle__centre pivot = pivot_of(&c[low], &c[low + (high - low) / 2], &c[high - 1], d);
        int64_t i = low, j = high - 1;
        while (i <= j) {
            while (is_before(&c[i], &pivot, d)) i++;
            while (is_before(&pivot, &c[j], d)) j--;
            if (i > j) break;
            swap(&c[i++], &c[j--]);
        }
        if (at <= j) {
            high = j + 1;
        } else if (at >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int longest(const bisection *b, int64_t first, int64_t end) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t k = first; k < end; k++) {
        for (int d = 0; d < 3; d++) {
            const float at = b->centres[k].at[d];
            low[d] = at < low[d] ? at : low[d];
            high[d] = at > high[d] ? at : high[d];
        }
    }
    int most = 0;
    double length[3];
    for (int d = 0; d < 3; d++) {
        length[d] = ((double)high[d] - (double)low[d]) * b->scale[d];
        if (length[d] > length[most]) most = d;
    }
    return most;
}

/* The second half begins with this patch. */
static int64_t halve(const bisection *b, const part *p) {
    const int64_t middle = p->first + (p->end - p->first) / 2;
    const int64_t low = b->begins[p->first], high = b->begins[p->end];
    separate(b->centres, low, high, b->begins[middle], longest(b, low, high));
    return middle;
}

/* Halves all parts that are more than a patch; how many parts there are then. */
static int64_t halve_all(int threads, const bisection *b, part *parts, part *next, int64_t count) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t k = 0; k < count; k++) {
        const int64_t middle = parts[k].end - parts[k].first > 1 ? halve(b, &parts[k]) : -1;
        next[2 * k] = parts[k];
        next[2 * k + 1] = (part){.first = middle, .end = parts[k].end};
        if (middle >= 0) next[2 * k].end = middle;
    }
    int64_t left = 0;
    for (int64_t k = 0; k < 2 * count; k++) {
        if (next[k].first >= 0) parts[left++] = next[k];
    }
    return left;
}

tulle_status tulle__bisect(tulle_ctx *ctx, int64_t count, tulle__centre *centres,
                           const double size[3], int64_t most, int64_t *begins) {
    const int64_t patches = tulle__bisect_patches(count, most);
    const int threads = tulle__host_threads_for(ctx, TULLE__WORK_POINTS, count);
    bisection b = {.centres = centres, .begins = begins};
    for (int d = 0; d < 3; d++) b.scale[d] = size[d] > 0 ? 1 / size[d] : 0;
    tulle__patch_begins(count, patches, begins);
    part *parts = tulle__host_alloc(ctx, (size_t)(patches + 1) * sizeof *parts);
    part *next = tulle__host_alloc(ctx, (size_t)(patches + 1) * 2 * sizeof *next);
    const bool there = parts && next;
    if (there && patches > 0) {
        parts[0] = (part){.first = 0, .end = patches};
        for (int64_t parts_now = 1; parts_now < patches;) {
            parts_now = halve_all(threads, &b, parts, next, parts_now);
        }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t p = 0; p < patches; p++) {
            const int64_t first = begins[p];
            qsort(centres + first, (size_t)(begins[p + 1] - first), sizeof *centres,
                  tulle__by_element);
        }
    }
    tulle__host_free(ctx, next);
    tulle__host_free(ctx, parts);
    return there ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}
