/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/colour.h"

/* Colours that are tried in a pass over the elements: bits of a word. */
enum { AT_A_TIME = 64 };

typedef struct greedy {
    int64_t elements;
    int each;
    const int32_t *points;
    uint64_t *taken; /* of each point: the colours of this pass that its elements have */
    int32_t *colour; /* of each element; -1: none yet */
} greedy;

static uint64_t taken_by_others(const greedy *g, int64_t e) {
    uint64_t taken = 0;
    for (int i = 0; i < g->each; i++) {
        const int32_t point = g->points[e * g->each + i];
        if (point >= 0) taken |= g->taken[point];
    }
    return taken;
}

/* Colours from `first` on; how many elements have none after it. */
static int64_t pass(const greedy *g, int32_t first) {
    int64_t left = 0;
    for (int64_t e = 0; e < g->elements; e++) {
        if (g->colour[e] >= 0) continue;
        const uint64_t taken = taken_by_others(g, e);
        if (~taken == 0) {
            left++;
            continue;
        }
        const int bit = __builtin_ctzll(~taken);
        g->colour[e] = first + bit;
        for (int i = 0; i < g->each; i++) {
            const int32_t point = g->points[e * g->each + i];
            if (point >= 0) g->taken[point] |= UINT64_C(1) << bit;
        }
    }
    return left;
}

static int64_t colour_all(const greedy *g, int64_t all) {
    int32_t first = 0;
    int64_t count = 0;
    for (int64_t e = 0; e < g->elements; e++) g->colour[e] = -1;
    while (g->elements > 0 && pass(g, first) > 0) {
        first += AT_A_TIME;
        for (int64_t p = 0; p < all; p++) g->taken[p] = 0;
    }
    for (int64_t e = 0; e < g->elements; e++) {
        if (g->colour[e] >= count) count = g->colour[e] + 1;
    }
    return count;
}

/* Places by colour, and by number among those of a colour. */
static tulle_status sort(tulle_ctx *ctx, const greedy *g, tulle__colours *colours) {
    const int64_t count = colours->count;
    colours->begins = tulle__host_alloc(ctx, (size_t)(count + 2) * sizeof *colours->begins);
    colours->order = tulle__host_alloc(ctx, (size_t)g->elements * sizeof *colours->order);
    if (!colours->begins || !colours->order) return TULLE_OUT_OF_MEMORY;
    int64_t *next = colours->begins + 1; /* zeros: how many there are, two places on */
    for (int64_t e = 0; e < g->elements; e++) next[g->colour[e] + 1]++;
    for (int64_t c = 0; c < count; c++) next[c + 1] += next[c];
    for (int64_t e = 0; e < g->elements; e++) {
        colours->order[next[g->colour[e]]++] = (int32_t)e;
    }
    return TULLE_OK;
}

tulle_status tulle__colours_find(tulle_ctx *ctx, int64_t elements, int each, int64_t all,
                                 const int32_t *points, tulle__colours *colours) {
    greedy g = {.elements = elements, .each = each, .points = points};
    *colours = (tulle__colours){0};
    g.taken = tulle__host_alloc(ctx, (size_t)all * sizeof *g.taken);
    g.colour = tulle__host_alloc(ctx, (size_t)elements * sizeof *g.colour);
    tulle_status status = g.taken && g.colour ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) {
        colours->count = colour_all(&g, all);
        status = sort(ctx, &g, colours);
    }
    tulle__host_free(ctx, g.colour);
    tulle__host_free(ctx, g.taken);
    if (status != TULLE_OK) tulle__colours_free(ctx, colours);
    return status;
}

void tulle__colours_free(tulle_ctx *ctx, tulle__colours *colours) {
    tulle__host_free(ctx, colours->order);
    tulle__host_free(ctx, colours->begins);
    *colours = (tulle__colours){0};
}
