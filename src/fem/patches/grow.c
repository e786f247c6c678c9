/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/bisect.h"

#include <stdlib.h>
#include <string.h>

/* Elements by node, and the elements that wait for the patch that grows. */
typedef struct growth {
    tulle_ctx *ctx;
    int64_t count;
    int each;
    const int32_t *nodes;
    int64_t node_count;
    int64_t *ends;     /* node_count + 1: elements of node i from ends[i] to before ends[i + 1] */
    int32_t *elements; /* count * each: elements of all nodes */
    uint8_t *taken;    /* for each element, nonzero when it is in a patch or waits */
    int32_t *waiting;  /* count: first come, first served */
    int64_t head, tail, lowest;
} growth;

static void close_growth(const growth *g) {
    tulle__host_free(g->ctx, g->waiting);
    tulle__host_free(g->ctx, g->taken);
    tulle__host_free(g->ctx, g->elements);
    tulle__host_free(g->ctx, g->ends);
}

static void list_elements(const growth *g) {
    int64_t *next = g->ends + 1; /* next index for an element of each node; at last its end */
    for (int64_t k = 0; k < g->count * g->each; k++) next[g->nodes[k] + 1]++;
    for (int64_t i = 0; i < g->node_count; i++) next[i + 1] += next[i];
    for (int64_t k = 0; k < g->count * g->each; k++) {
        g->elements[next[g->nodes[k]]++] = (int32_t)(k / g->each);
    }
}

static tulle_status open_growth(growth *g) {
    const size_t count = (size_t)g->count;
    g->ends = tulle__host_alloc(g->ctx, (size_t)(g->node_count + 2) * sizeof *g->ends);
    g->elements = tulle__host_alloc(g->ctx, count * (size_t)g->each * sizeof *g->elements);
    g->taken = tulle__host_alloc(g->ctx, count);
    g->waiting = tulle__host_alloc(g->ctx, count * sizeof *g->waiting);
    if (!g->ends || !g->elements || !g->taken || !g->waiting) return TULLE_OUT_OF_MEMORY;
    list_elements(g);
    return TULLE_OK;
}

static void wait_for(growth *g, int32_t element) {
    g->taken[element] = 1;
    g->waiting[g->tail++] = element;
}

/* Lets the lowest element wait that is neither in a patch nor waiting; there is one. */
static void begin_anew(growth *g) {
    while (g->taken[g->lowest]) g->lowest++;
    wait_for(g, (int32_t)g->lowest);
}

static void grow_by(growth *g, int32_t element) {
    for (int a = 0; a < g->each; a++) {
        const int32_t node = g->nodes[(int64_t)element * g->each + a];
        for (int64_t k = g->ends[node]; k < g->ends[node + 1]; k++) {
            if (!g->taken[g->elements[k]]) wait_for(g, g->elements[k]);
        }
    }
}

/* Elements that still wait when a patch is full have waited in vain. */
static void fill_patch(growth *g, tulle__centre *patch, int64_t elements) {
    g->head = g->tail = 0;
    for (int64_t k = 0; k < elements; k++) {
        if (g->head == g->tail) begin_anew(g);
        patch[k].element = g->waiting[g->head++];
        grow_by(g, patch[k].element);
    }
    for (int64_t k = g->head; k < g->tail; k++) g->taken[g->waiting[k]] = 0;
    for (int64_t k = g->head; k < g->tail; k++) {
        if (g->waiting[k] < g->lowest) g->lowest = g->waiting[k];
    }
    qsort(patch, (size_t)elements, sizeof *patch, tulle__by_element);
}

tulle_status tulle__grow(tulle_ctx *ctx, int64_t count, tulle__centre *centres, int each,
                         const int32_t *nodes, int64_t node_count, int64_t most, int64_t *begins) {
    const int64_t patches = tulle__bisect_patches(count, most);
    growth g = {.ctx = ctx, .count = count, .each = each, .nodes = nodes, .node_count = node_count};
    tulle__patch_begins(count, patches, begins);
    const tulle_status status = open_growth(&g);
    for (int64_t p = 0; p < patches && status == TULLE_OK; p++) {
        fill_patch(&g, centres + begins[p], begins[p + 1] - begins[p]);
    }
    close_growth(&g);
    return status;
}
