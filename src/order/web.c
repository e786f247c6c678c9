/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of a dissection: allocates them, and merges their nodes. */
#include "order/dissect.h"

tulle_status tulle__dissect_count(tulle__dissection *d, int64_t edges) {
    enum { BETWEEN_QUESTIONS = 1 << 20 };
    d->looked_at += edges;
    if (d->looked_at < BETWEEN_QUESTIONS) return TULLE_OK;
    d->looked_at = 0;
    return tulle__progress(d->ctx, "ordering", d->placed, d->nodes);
}

/* The random numbers are those of xorshift64*. Source: S. Vigna, "An experimental exploration of
 * Marsaglia's xorshift generators, scrambled", ACM TOMS 42 (2016). */
int32_t tulle__dissect_draw(tulle__dissection *d, int32_t bound) {
    uint64_t x = d->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    d->random = x;
    return (int32_t)((x * UINT64_C(2685821657736338717) >> 33) % (uint64_t)bound);
}

tulle_status tulle__dissect_array(tulle__dissection *d, int64_t count, size_t size, void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, (int64_t)size, 0, &bytes));
    *array = tulle__host_alloc(d->ctx, bytes > 0 ? bytes : 1);
    return *array ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__web_alloc(tulle__dissection *d, int64_t nodes, int64_t ends, tulle__web *web) {
    *web = (tulle__web){.nodes = (int32_t)nodes};
    TULLE__TRY(tulle__dissect_array(d, nodes + 1, sizeof *web->begin, (void **)&web->begin));
    TULLE__TRY(tulle__dissect_array(d, nodes, sizeof *web->weight, (void **)&web->weight));
    TULLE__TRY(tulle__dissect_array(d, ends, sizeof *web->edges, (void **)&web->edges));
    return tulle__dissect_array(d, ends, sizeof *web->neighbours, (void **)&web->neighbours);
}

void tulle__web_free(tulle_ctx *ctx, tulle__web *web) {
    tulle__host_free(ctx, web->begin);
    tulle__host_free(ctx, web->neighbours);
    tulle__host_free(ctx, web->weight);
    tulle__host_free(ctx, web->edges);
    *web = (tulle__web){0};
}

/* Lists the members of each group g at begin[g] to begin[g + 1] - 1. `begin` has groups + 2
 * numbers, and comes zeroed. */
static void list_members(const int32_t *group, int32_t nodes, int32_t groups, int32_t *begin,
                         int32_t *members) {
    for (int32_t v = 0; v < nodes; v++) begin[group[v] + 2]++;
    for (int32_t g = 0; g < groups; g++) begin[g + 2] += begin[g + 1];
    for (int32_t v = 0; v < nodes; v++) members[begin[group[v] + 1]++] = v;
}

/* Merges edges between the same two groups, and returns the number of ends of edges. The edge from
 * group g to group h is at at[h] - 1 if at[h] is in the range of g. */
static int64_t merge_edges(const tulle__web *fine, const int32_t *group, const int32_t *begin,
                           const int32_t *members, int64_t *at, tulle__web *coarse) {
    int64_t ends = 0;
    for (int32_t g = 0; g < coarse->nodes; g++) {
        coarse->begin[g] = ends;
        for (int32_t m = begin[g]; m < begin[g + 1]; m++) {
            const int32_t v = members[m];
            coarse->weight[g] += fine->weight[v];
            for (int64_t e = fine->begin[v]; e < fine->begin[v + 1]; e++) {
                const int32_t h = group[fine->neighbours[e]];
                if (h == g) continue;
                if (at[h] <= coarse->begin[g]) {
                    coarse->neighbours[ends] = h;
                    coarse->edges[ends] = fine->edges[e];
                    at[h] = ++ends;
                    continue;
                }
                int32_t *sum = &coarse->edges[at[h] - 1];
                *sum = *sum > INT32_MAX - fine->edges[e] ? INT32_MAX : *sum + fine->edges[e];
            }
        }
    }
    coarse->begin[coarse->nodes] = ends;
    return ends;
}

/* Frees the memory of an array behind its first `count` numbers. */
static tulle_status shorten(tulle__dissection *d, int32_t **array, int64_t count) {
    int32_t *shorter = NULL;
    TULLE__TRY(tulle__dissect_array(d, count, sizeof *shorter, (void **)&shorter));
    for (int64_t i = 0; i < count; i++) shorter[i] = (*array)[i];
    tulle__host_free(d->ctx, *array);
    *array = shorter;
    return TULLE_OK;
}

static tulle_status merge(tulle__dissection *d, const tulle__web *fine, const int32_t *group,
                          int32_t *begin, int32_t *members, int64_t *at, tulle__web *coarse) {
    list_members(group, fine->nodes, coarse->nodes, begin, members);
    const int64_t ends = merge_edges(fine, group, begin, members, at, coarse);
    TULLE__TRY(shorten(d, &coarse->neighbours, ends));
    TULLE__TRY(shorten(d, &coarse->edges, ends));
    return tulle__dissect_count(d, fine->begin[fine->nodes]);
}

tulle_status tulle__web_merge(tulle__dissection *d, const tulle__web *fine, const int32_t *group,
                              int32_t groups, tulle__web *coarse) {
    int32_t *begin = NULL, *members = NULL;
    int64_t *at = NULL;
    tulle_status status = tulle__web_alloc(d, groups, fine->begin[fine->nodes], coarse);
    if (status == TULLE_OK)
        status = tulle__dissect_array(d, (int64_t)groups + 2, sizeof *begin, (void **)&begin);
    if (status == TULLE_OK)
        status = tulle__dissect_array(d, fine->nodes, sizeof *members, (void **)&members);
    if (status == TULLE_OK) status = tulle__dissect_array(d, groups, sizeof *at, (void **)&at);
    if (status == TULLE_OK) status = merge(d, fine, group, begin, members, at, coarse);
    tulle__host_free(d->ctx, begin);
    tulle__host_free(d->ctx, members);
    tulle__host_free(d->ctx, at);
    return status;
}
