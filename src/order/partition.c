/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_order_partition: an order in which the rows of each part follow each other. */
#include "order/partition.h"

#include "order/order.h"

void tulle__partition_order(int64_t nodes, const int32_t *part, int parts, int64_t *starts,
                            int64_t *place) {
    for (int p = 0; p <= parts; p++) starts[p] = 0;
    for (int64_t v = 0; v < nodes; v++) starts[part[v] + 1]++;
    for (int p = 0; p < parts; p++) starts[p + 1] += starts[p];
    for (int64_t v = 0; v < nodes; v++) place[v] = starts[part[v]]++;
    for (int p = parts; p > 0; p--) starts[p] = starts[p - 1];
    starts[0] = 0;
}

static tulle_status order_graph(const char *function, tulle_ctx *ctx, const tulle__graph *g,
                                int parts, int64_t *starts, tulle_order **P) {
    size_t of_part, of_place;
    TULLE__TRY(tulle__size(g->nodes, sizeof(int32_t), 0, &of_part));
    TULLE__TRY(tulle__size(g->nodes, 2 * sizeof(int64_t), 0, &of_place));
    int32_t *part = tulle__host_alloc(ctx, of_part);
    int64_t *place = tulle__host_alloc(ctx, of_place);
    tulle_status status = part && place ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) status = tulle__partition(function, ctx, g, parts, part);
    if (status == TULLE_OK) {
        int64_t *order = place + g->nodes;
        tulle__partition_order(g->nodes, part, parts, starts, place);
        for (int64_t v = 0; v < g->nodes; v++) order[place[v]] = v;
        status = tulle_order_create(ctx, g->nodes, order, P);
    }
    tulle__host_free(ctx, part);
    tulle__host_free(ctx, place);
    return status;
}

tulle_status tulle_order_partition(tulle_ctx *ctx, const tulle_mat *A, int parts, int64_t *starts,
                                   tulle_order **P) {
    TULLE__NEED(P);
    *P = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(starts);
    if (parts < 1) return TULLE__BAD("parts", "parts is %d; it must be 1 or more", parts);
    tulle__graph graph;
    TULLE__TRY(tulle__graph_of(__func__, ctx, A, false, &graph));
    const tulle_status status = order_graph(__func__, ctx, &graph, parts, starts, P);
    tulle__graph_free(ctx, &graph);
    return status;
}
