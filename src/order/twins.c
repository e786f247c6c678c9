/* SPDX-License-Identifier: Apache-2.0 */
/* Groups nodes that no order needs to tell apart (twins), such as the unknowns of one node of a
 * mesh. Source: C. Ashcraft, "Compressed graphs and the minimum degree algorithm", SIAM J. Sci.
 * Comput. 16 (1995). */
#include "order/dissect.h"

/* Returns the result of one step of SplitMix64. */
static uint64_t mix(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Computes a sum for each node that is the same for nodes with the same neighbours; each node
 * counts as its own neighbour. */
static void sum_up(const tulle__web *web, uint64_t *sum) {
    for (int32_t v = 0; v < web->nodes; v++) {
        sum[v] = mix((uint64_t)v);
        for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
            sum[v] += mix((uint64_t)web->neighbours[e]);
        }
    }
}

/* Returns true when u, a neighbour of v, has the same neighbours as v, which are marked with v +
 * 1. */
static bool are_twins(const tulle__web *web, const int32_t *mark, int32_t u, int32_t v) {
    if (web->begin[u + 1] - web->begin[u] != web->begin[v + 1] - web->begin[v]) return false;
    for (int64_t e = web->begin[u]; e < web->begin[u + 1]; e++) {
        if (mark[web->neighbours[e]] != v + 1) return false;
    }
    return true;
}

static void mark_all(const tulle__web *web, int32_t v, int32_t *mark) {
    mark[v] = v + 1;
    for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) mark[web->neighbours[e]] = v + 1;
}

/* Returns the first neighbour before v that is a twin of v, or v. */
static int32_t find_twin(const tulle__web *web, const uint64_t *sum, int32_t *mark, int32_t v) {
    bool marked = false;
    for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
        const int32_t u = web->neighbours[e];
        if (u > v || sum[u] != sum[v]) continue;
        if (!marked) mark_all(web, v, mark);
        marked = true;
        if (are_twins(web, mark, u, v)) return u;
    }
    return v;
}

tulle_status tulle__web_twins(tulle__dissection *d, const tulle__web *web, int32_t *group,
                              int32_t *groups) {
    uint64_t *sum = NULL;
    int32_t *mark = NULL;
    tulle_status status = tulle__dissect_array(d, web->nodes, sizeof *sum, (void **)&sum);
    if (status == TULLE_OK) {
        status = tulle__dissect_array(d, web->nodes, sizeof *mark, (void **)&mark);
    }
    if (status == TULLE_OK) {
        *groups = 0;
        sum_up(web, sum);
        for (int32_t v = 0; v < web->nodes; v++) {
            const int32_t twin = find_twin(web, sum, mark, v);
            group[v] = twin < v ? group[twin] : (*groups)++;
        }
        status = tulle__dissect_count(d, web->begin[web->nodes]);
    }
    tulle__host_free(d->ctx, sum);
    tulle__host_free(d->ctx, mark);
    return status;
}
