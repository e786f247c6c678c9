/* SPDX-License-Identifier: Apache-2.0 */
/* Orders a graph with SuiteSparse's AMD, in 32 bits where the numbers of nodes and edges fit. */
#include <amd.h>

#include "order/fill.h"

enum { NUMBER = sizeof(SuiteSparse_long) };

static tulle_status judge(const char *function, int code) {
    if (code == AMD_OK || code == AMD_OK_BUT_JUMBLED) return TULLE_OK;
    if (code == AMD_OUT_OF_MEMORY) {
        return tulle__fail(TULLE_OUT_OF_MEMORY, function, "A", -1, "AMD has no memory left");
    }
    return tulle__fail(TULLE_TOO_LARGE, function, "A", -1, "AMD does not take such a graph");
}

static tulle_status order_narrow(const char *function, tulle_ctx *ctx, const tulle__graph *g,
                                 int64_t *order) {
    void *begin = NULL, *found = NULL;
    tulle_status status = tulle__order_copy(ctx, g->begin, 8, g->nodes + 1, 4, &begin);
    if (status == TULLE_OK) status = tulle__order_copy(ctx, g->begin, 8, g->nodes, 4, &found);
    if (status == TULLE_OK) {
        status = judge(function, amd_order((int)g->nodes, begin, g->neighbours, found, NULL, NULL));
    }
    if (status == TULLE_OK) {
        for (int64_t i = 0; i < g->nodes; i++) order[i] = ((const int *)found)[i];
    }
    tulle__host_free(ctx, begin);
    tulle__host_free(ctx, found);
    return status;
}

static tulle_status order_wide(const char *function, tulle_ctx *ctx, const tulle__graph *g,
                               int64_t *order) {
    void *neighbours = NULL;
    TULLE__TRY(tulle__order_copy(ctx, g->neighbours, g->narrow ? 4 : 8, g->begin[g->nodes], NUMBER,
                                 &neighbours));
    const int code = (int)amd_l_order(g->nodes, g->begin, neighbours, order, NULL, NULL);
    tulle__host_free(ctx, neighbours);
    return judge(function, code);
}

tulle_status tulle__order_amd(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                              int64_t *order) {
    return graph->narrow && graph->begin[graph->nodes] <= INT32_MAX
               ? order_narrow(function, ctx, graph, order)
               : order_wide(function, ctx, graph, order);
}
