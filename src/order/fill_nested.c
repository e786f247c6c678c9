/* SPDX-License-Identifier: Apache-2.0 */
/* METIS, which draws its numbers with rand(): from a state of ours, so that the result depends on
 * the graph alone and the program's own numbers go on as if nothing had happened. */
#define _GNU_SOURCE
#include <metis.h>
#include <pthread.h>
#include <stdlib.h>

#include "order/fill.h"

enum { WIDTH = sizeof(idx_t), STATE = 128 };

static tulle_status dissect(const char *function, int64_t nodes, idx_t *begin, idx_t *neighbours,
                            idx_t *order, idx_t *place) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    static char state[STATE];
    idx_t count = (idx_t)nodes;
    pthread_mutex_lock(&one_at_a_time);
    char *before = initstate(1, state, sizeof state);
    const int code = METIS_NodeND(&count, begin, neighbours, NULL, NULL, order, place);
    setstate(before);
    pthread_mutex_unlock(&one_at_a_time);
    if (code == METIS_OK) return TULLE_OK;
    return tulle__fail(TULLE_OUT_OF_MEMORY, function, "A", -1,
                       "METIS has no memory left (it returned %d)", code);
}

static tulle_status order_edges(const char *function, tulle_ctx *ctx, const tulle__graph *g,
                                int64_t *order) {
    const int64_t ends = g->begin[g->nodes];
    void *begin = NULL, *neighbours = NULL, *found = NULL, *place = NULL;
    tulle_status status = tulle__order_copy(ctx, g->begin, 8, g->nodes + 1, WIDTH, &begin);
    if (status == TULLE_OK) {
        status = tulle__order_copy(ctx, g->neighbours, g->narrow ? 4 : 8, ends, WIDTH, &neighbours);
    }
    if (status == TULLE_OK) status = tulle__order_copy(ctx, g->begin, 8, g->nodes, WIDTH, &found);
    if (status == TULLE_OK) status = tulle__order_copy(ctx, g->begin, 8, g->nodes, WIDTH, &place);
    if (status == TULLE_OK) status = dissect(function, g->nodes, begin, neighbours, found, place);
    if (status == TULLE_OK) {
        for (int64_t i = 0; i < g->nodes; i++) order[i] = ((const idx_t *)found)[i];
    }
    tulle__host_free(ctx, begin);
    tulle__host_free(ctx, neighbours);
    tulle__host_free(ctx, found);
    tulle__host_free(ctx, place);
    return status;
}

tulle_status tulle__order_nested(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                                 int64_t *order) {
    const int64_t ends = graph->begin[graph->nodes], most = WIDTH == 4 ? INT32_MAX : INT64_MAX;
    if (!graph->narrow || ends > most) {
        return tulle__fail(TULLE_TOO_LARGE, function, "A", -1,
                           "this METIS takes %lld neighbours, not %lld; TULLE_AMD takes any number",
                           (long long)most, (long long)ends);
    }
    /* It does not take a graph without edges. */
    for (int64_t i = 0; i < graph->nodes; i++) order[i] = i;
    return ends > 0 ? order_edges(function, ctx, graph, order) : TULLE_OK;
}
