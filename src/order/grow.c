/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "order/cut.h"

/* Returns the first node on the right from v on, which must exist. While the left side grows, no
 * node comes back to the right, so that a search that goes on from the end of the last one passes
 * each node once. */
static int32_t next_on_the_right(const tulle__cut *cut, int32_t v) {
    while (cut->side[v] != TULLE__RIGHT) v = v + 1 < cut->web->nodes ? v + 1 : 0;
    return v;
}

static void put_between(tulle__cut *cut, int32_t v) {
    cut->side[v] = TULLE__BETWEEN;
    cut->weight[TULLE__RIGHT] -= cut->web->weight[v];
    cut->weight[TULLE__BETWEEN] += cut->web->weight[v];
    tulle__cut_offer(cut, v);
}

/* Lets the left side grow from a random node. It takes the node that pushes the least weight in
 * between. Where no node is between, a component of the graph is used up, and the left side goes on
 * in another one. */
void tulle__cut_grow(tulle__dissection *d, tulle__cut *cut) {
    tulle__queue *q = &cut->to[TULLE__LEFT];
    int32_t next = tulle__dissect_draw(d, cut->web->nodes);
    tulle__cut_clear(cut);
    while (cut->weight[TULLE__LEFT] < cut->weight[TULLE__RIGHT]) {
        if (q->count == 0) {
            next = next_on_the_right(cut, next);
            put_between(cut, next);
        } else {
            tulle__cut_move(cut, q->heap[0], TULLE__LEFT);
        }
    }
}

/* Visits all nodes, one component of the graph after the other, each from its first node behind
 * `from` on, near nodes first; returns the last node of the component of `from`. */
static int32_t visit(const tulle__web *web, int32_t from, unsigned char *seen, int32_t *visits) {
    int32_t count = 0, done = 0, last = from;
    memset(seen, 0, (size_t)web->nodes);
    for (int32_t i = 0; i < web->nodes; i++) {
        const int32_t start = i < web->nodes - from ? from + i : from + i - web->nodes;
        if (seen[start]) continue;
        seen[start] = 1;
        visits[count++] = start;
        while (done < count) {
            const int32_t v = visits[done++];
            for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
                const int32_t u = web->neighbours[e];
                if (seen[u]) continue;
                seen[u] = 1;
                visits[count++] = u;
            }
        }
        if (i == 0) last = visits[count - 1];
    }
    return last;
}

/* Moves the nodes nearest to one end of the graph to the left, until both sides weigh the same. */
void tulle__cut_near(tulle__dissection *d, tulle__cut *cut) {
    const tulle__web *web = cut->web;
    int32_t *visits = cut->to[TULLE__LEFT].heap;
    int32_t from = tulle__dissect_draw(d, web->nodes);
    for (int i = 0; i < 2; i++) from = visit(web, from, cut->settled, visits);
    (void)visit(web, from, cut->settled, visits);
    tulle__cut_clear(cut);
    for (int32_t i = 0; i < web->nodes && cut->weight[TULLE__LEFT] < cut->weight[TULLE__RIGHT];
         i++) {
        const int32_t v = visits[i];
        cut->weight[cut->side[v]] -= web->weight[v];
        cut->side[v] = TULLE__LEFT;
        cut->weight[TULLE__LEFT] += web->weight[v];
        for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
            const int32_t u = web->neighbours[e];
            if (cut->side[u] != TULLE__RIGHT) continue;
            cut->side[u] = TULLE__BETWEEN;
            cut->weight[TULLE__RIGHT] -= web->weight[u];
            cut->weight[TULLE__BETWEEN] += web->weight[u];
        }
    }
}
