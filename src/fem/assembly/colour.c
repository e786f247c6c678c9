/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/assembly/colour.h"

#include <string.h>

/* Colours that are tried in a pass over the elements: bits of a word. */
enum { AT_A_TIME = 64 };

typedef struct greedy {
    int64_t elements;
    int each;
    const int32_t *points;
    uint64_t *taken;
    int32_t *colour;
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
    memset(g->taken, 0, (size_t)all * sizeof *g->taken);
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
static void sort(const greedy *g, tulle__colours *colours) {
    const int64_t count = colours->count;
    for (int64_t c = 0; c < count + 2; c++) colours->begins[c] = 0;
    int64_t *next = colours->begins + 1; /* elements of each colour, two positions on */
    for (int64_t e = 0; e < g->elements; e++) next[g->colour[e] + 1]++;
    for (int64_t c = 0; c < count; c++) next[c + 1] += next[c];
    for (int64_t e = 0; e < g->elements; e++) {
        colours->order[next[g->colour[e]]++] = (int32_t)e;
    }
}

void tulle__colours_fill(int64_t elements, int each, int64_t all, const int32_t *points,
                         const tulle__colour_room *room, tulle__colours *colours) {
    const greedy g = {.elements = elements,
                      .each = each,
                      .points = points,
                      .taken = room->taken,
                      .colour = room->colour};
    colours->count = colour_all(&g, all);
    sort(&g, colours);
}

/* There are far fewer colours than there is room for. */
static tulle_status shrink(tulle_ctx *ctx, tulle__colours *colours) {
    const size_t bytes = (size_t)(colours->count + 2) * sizeof *colours->begins;
    int64_t *begins = tulle__host_alloc(ctx, bytes);
    if (!begins) return TULLE_OUT_OF_MEMORY;
    memcpy(begins, colours->begins, bytes);
    tulle__host_free(ctx, colours->begins);
    colours->begins = begins;
    return TULLE_OK;
}

tulle_status tulle__colours_find(tulle_ctx *ctx, int64_t elements, int each, int64_t all,
                                 const int32_t *points, tulle__colours *colours) {
    tulle__colour_room room;
    *colours = (tulle__colours){0};
    room.taken = tulle__host_alloc(ctx, (size_t)all * sizeof *room.taken);
    room.colour = tulle__host_alloc(ctx, (size_t)elements * sizeof *room.colour);
    colours->begins = tulle__host_alloc(ctx, (size_t)(elements + 2) * sizeof *colours->begins);
    colours->order = tulle__host_alloc(ctx, (size_t)elements * sizeof *colours->order);
    const bool there = room.taken && room.colour && colours->begins && colours->order;
    tulle_status status = there ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (there) {
        tulle__colours_fill(elements, each, all, points, &room, colours);
        status = shrink(ctx, colours);
    }
    tulle__host_free(ctx, room.colour);
    tulle__host_free(ctx, room.taken);
    if (status != TULLE_OK) tulle__colours_free(ctx, colours);
    return status;
}

void tulle__colours_free(tulle_ctx *ctx, tulle__colours *colours) {
    tulle__host_free(ctx, colours->order);
    tulle__host_free(ctx, colours->begins);
    *colours = (tulle__colours){0};
}
