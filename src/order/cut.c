/* SPDX-License-Identifier: Apache-2.0 */
#include "order/cut.h"

#include <string.h>

tulle_status tulle__cut_alloc(tulle__dissection *d, int32_t nodes, tulle__cut *cut) {
    *cut = (tulle__cut){0};
    for (int to = 0; to < 2; to++) {
        tulle__queue *q = &cut->to[to];
        TULLE__TRY(tulle__dissect_array(d, nodes, sizeof *q->heap, (void **)&q->heap));
        TULLE__TRY(tulle__dissect_array(d, nodes, sizeof *q->place, (void **)&q->place));
        TULLE__TRY(tulle__dissect_array(d, nodes, sizeof *q->gain, (void **)&q->gain));
    }
    TULLE__TRY(tulle__dissect_array(d, nodes, sizeof *cut->settled, (void **)&cut->settled));
    /* In a pass a node moves at most once, and is pushed in between at most once before its move
     * and once after it; so the log needs three entries per node. */
    return tulle__dissect_array(d, (int64_t)nodes * 3, sizeof *cut->log, (void **)&cut->log);
}

void tulle__cut_free(tulle_ctx *ctx, tulle__cut *cut) {
    for (int to = 0; to < 2; to++) {
        tulle__host_free(ctx, cut->to[to].heap);
        tulle__host_free(ctx, cut->to[to].place);
        tulle__host_free(ctx, cut->to[to].gain);
    }
    tulle__host_free(ctx, cut->settled);
    tulle__host_free(ctx, cut->log);
}

void tulle__cut_weigh(tulle__cut *cut, const tulle__web *web, unsigned char *side) {
    cut->web = web;
    cut->side = side;
    memset(cut->weight, 0, sizeof cut->weight);
    for (int32_t v = 0; v < web->nodes; v++) cut->weight[side[v]] += web->weight[v];
}

void tulle__cut_start(tulle__cut *cut, const tulle__web *web, unsigned char *side) {
    memset(side, TULLE__RIGHT, (size_t)web->nodes);
    tulle__cut_weigh(cut, web, side);
}

void tulle__cut_clear(tulle__cut *cut) {
    for (int to = 0; to < 2; to++) {
        cut->to[to].count = 0;
        memset(cut->to[to].place, 0, (size_t)cut->web->nodes * sizeof *cut->to[to].place);
    }
    memset(cut->settled, 0, (size_t)cut->web->nodes);
    cut->logged = 0;
}

static void put(tulle__queue *q, int32_t at, int32_t v) {
    q->heap[at] = v;
    q->place[v] = at + 1;
}

/* Puts node v into the heap, which has a free place at `at`, and moves it to the place of its
 * gain. */
static void sift(tulle__queue *q, int32_t at, int32_t v) {
    while (at > 0 && q->gain[q->heap[(at - 1) / 2]] < q->gain[v]) {
        put(q, at, q->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        int64_t child = 2 * (int64_t)at + 1;
        if (child >= q->count) break;
        if (child + 1 < q->count && q->gain[q->heap[child + 1]] > q->gain[q->heap[child]]) child++;
        if (q->gain[q->heap[child]] <= q->gain[v]) break;
        put(q, at, q->heap[child]);
        at = (int32_t)child;
    }
    put(q, at, v);
}

void tulle__queue_drop(tulle__queue *q, int32_t v) {
    const int32_t at = q->place[v] - 1;
    if (at < 0) return;
    q->place[v] = 0;
    const int32_t last = q->heap[--q->count];
    if (last != v) sift(q, at, last);
}

static void change_gain(tulle__queue *q, int32_t v, int32_t by) {
    q->gain[v] += by;
    if (q->place[v] > 0) sift(q, q->place[v] - 1, v);
}

void tulle__cut_offer(tulle__cut *cut, int32_t v) {
    const tulle__web *web = cut->web;
    int32_t pushed[2] = {0, 0};
    for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
        const int32_t u = web->neighbours[e];
        if (cut->side[u] != TULLE__BETWEEN) pushed[cut->side[u]] += web->weight[u];
    }
    for (int to = 0; to < 2; to++) {
        tulle__queue *q = &cut->to[to];
        q->gain[v] = web->weight[v] - pushed[1 - to];
        if (!cut->settled[v]) sift(q, q->count++, v);
    }
}

static void push_between(tulle__cut *cut, int32_t u, int to) {
    const tulle__web *web = cut->web;
    cut->side[u] = TULLE__BETWEEN;
    cut->weight[1 - to] -= web->weight[u];
    cut->weight[TULLE__BETWEEN] += web->weight[u];
    cut->log[cut->logged++] = u;
    for (int64_t e = web->begin[u]; e < web->begin[u + 1]; e++) {
        const int32_t x = web->neighbours[e];
        if (cut->side[x] == TULLE__BETWEEN) change_gain(&cut->to[to], x, web->weight[u]);
    }
    tulle__cut_offer(cut, u);
}

void tulle__cut_move(tulle__cut *cut, int32_t v, int to) {
    const tulle__web *web = cut->web;
    for (int side = 0; side < 2; side++) tulle__queue_drop(&cut->to[side], v);
    cut->settled[v] = 1;
    cut->side[v] = (unsigned char)to;
    cut->weight[to] += web->weight[v];
    cut->weight[TULLE__BETWEEN] -= web->weight[v];
    for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
        const int32_t u = web->neighbours[e];
        if (cut->side[u] == TULLE__BETWEEN) {
            change_gain(&cut->to[1 - to], u, -web->weight[v]);
        } else if (cut->side[u] == 1 - to) {
            push_between(cut, u, to);
        }
    }
    cut->log[cut->logged++] = ~v;
}

void tulle__cut_undo(tulle__cut *cut, int64_t logged) {
    int to = TULLE__LEFT;
    while (cut->logged > logged) {
        const int32_t entry = cut->log[--cut->logged], v = entry < 0 ? ~entry : entry;
        const int32_t weight = cut->web->weight[v];
        if (entry < 0) to = cut->side[v];
        const int from = entry < 0 ? to : TULLE__BETWEEN,
                  back = entry < 0 ? TULLE__BETWEEN : 1 - to;
        cut->side[v] = (unsigned char)back;
        cut->weight[from] -= weight;
        cut->weight[back] += weight;
    }
}
