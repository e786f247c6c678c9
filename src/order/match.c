/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs nodes that are merged in a coarser graph. Each node, those with few neighbours first, takes
 * the free neighbour with the heaviest edge. Where many are left over, such as the leaves of a
 * star, two neighbours of one node are paired. Source: G. Karypis and V. Kumar, "A fast and high
 * quality multilevel scheme for partitioning irregular graphs", SIAM J. Sci. Comput. 20 (1998),
 * section 3.1. */
#include "order/dissect.h"

/* Number of classes of degrees. Nodes are visited by rising degree, and at random within a degree;
 * all degrees from BUCKETS - 1 on are one class. */
enum { BUCKETS = 64 };

static int bucket(const tulle__web *web, int32_t v) {
    const int64_t degree = web->begin[v + 1] - web->begin[v];
    return degree < BUCKETS ? (int)degree : BUCKETS - 1;
}

static void shuffle(tulle__dissection *d, int32_t count, int32_t *list) {
    for (int32_t i = 0; i < count; i++) list[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        const int32_t j = tulle__dissect_draw(d, i + 1), node = list[i];
        list[i] = list[j];
        list[j] = node;
    }
}

static void visit_order(tulle__dissection *d, const tulle__web *web, int32_t *at_random,
                        int32_t *visits) {
    int64_t begin[BUCKETS + 1] = {0};
    shuffle(d, web->nodes, at_random);
    for (int32_t v = 0; v < web->nodes; v++) begin[bucket(web, v) + 1]++;
    for (int b = 0; b < BUCKETS; b++) begin[b + 1] += begin[b];
    for (int32_t i = 0; i < web->nodes; i++) {
        visits[begin[bucket(web, at_random[i])]++] = at_random[i];
    }
}

/* Returns the free neighbour of v with the heaviest edge, of those that are light enough, or -1. */
static int32_t best_partner(const tulle__web *web, int64_t most, const int32_t *mate, int32_t v) {
    int32_t best = -1, heaviest = 0;
    for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
        const int32_t u = web->neighbours[e];
        const bool fits = mate[u] < 0 && (int64_t)web->weight[u] + web->weight[v] <= most;
        if (fits && web->edges[e] > heaviest) {
            best = u;
            heaviest = web->edges[e];
        }
    }
    return best;
}

static int32_t pair_neighbours(const tulle__web *web, int64_t most, const int32_t *visits,
                               int32_t *mate) {
    int32_t left_over = 0;
    for (int32_t i = 0; i < web->nodes; i++) {
        const int32_t v = visits[i];
        if (mate[v] >= 0) continue;
        const int32_t u = best_partner(web, most, mate, v);
        if (u < 0) {
            left_over++;
            continue;
        }
        mate[v] = u;
        mate[u] = v;
    }
    return left_over;
}

/* Pairs free nodes that have a neighbour in common. */
static void pair_at_distance(const tulle__web *web, int64_t most, int32_t *mate) {
    for (int32_t c = 0; c < web->nodes; c++) {
        int32_t waiting = -1;
        for (int64_t e = web->begin[c]; e < web->begin[c + 1]; e++) {
            const int32_t u = web->neighbours[e];
            if (mate[u] >= 0) continue;
            if (waiting < 0 || (int64_t)web->weight[u] + web->weight[waiting] > most) {
                waiting = u;
                continue;
            }
            mate[u] = waiting;
            mate[waiting] = u;
            waiting = -1;
        }
    }
}

static int32_t number_groups(int32_t nodes, const int32_t *mate, int32_t *group) {
    int32_t groups = 0;
    for (int32_t v = 0; v < nodes; v++) {
        group[v] = mate[v] >= 0 && mate[v] < v ? group[mate[v]] : groups++;
    }
    return groups;
}

tulle_status tulle__web_match(tulle__dissection *d, const tulle__web *web, int64_t most,
                              int32_t *group, int32_t *groups) {
    int32_t *visits = NULL, *mate = NULL;
    tulle_status status = tulle__dissect_array(d, web->nodes, sizeof *visits, (void **)&visits);
    if (status == TULLE_OK) {
        status = tulle__dissect_array(d, web->nodes, sizeof *mate, (void **)&mate);
    }
    if (status == TULLE_OK) {
        visit_order(d, web, mate, visits);
        for (int32_t v = 0; v < web->nodes; v++) mate[v] = -1;
        const int32_t left_over = pair_neighbours(web, most, visits, mate);
        if (left_over > web->nodes / 10) pair_at_distance(web, most, mate);
        *groups = number_groups(web->nodes, mate, group);
        status = tulle__dissect_count(d, web->begin[web->nodes]);
    }
    tulle__host_free(d->ctx, visits);
    tulle__host_free(d->ctx, mate);
    return status;
}
