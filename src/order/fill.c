/* SPDX-License-Identifier: Apache-2.0 */
#include "order/fill.h"

#include "core/access.h"
#include "order/order.h"

tulle_status tulle__order_copy(tulle_ctx *ctx, const void *numbers, int64_t size, int64_t count,
                               int64_t wanted, void **copy) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, wanted, 0, &bytes));
    *copy = tulle__host_alloc(ctx, bytes);
    if (!*copy) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        tulle__put(*copy, wanted, i, tulle__get(numbers, size, i));
    }
    return TULLE_OK;
}

static tulle_status find(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                         tulle_fill_order method, int64_t *order) {
    TULLE__TRY(tulle__progress(ctx, "ordering", 0, graph->nodes));
    TULLE__TRY(method == TULLE_AMD ? tulle__order_amd(function, ctx, graph, order)
                                   : tulle__order_nested(function, ctx, graph, order));
    return tulle__progress(ctx, "ordering", graph->nodes, graph->nodes);
}

static tulle_status order_graph(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                                tulle_fill_order method, tulle_order **P) {
    size_t bytes;
    TULLE__TRY(tulle__size(graph->nodes, sizeof(int64_t), 0, &bytes));
    int64_t *order = tulle__host_alloc(ctx, bytes);
    if (!order) return TULLE_OUT_OF_MEMORY;
    tulle_status status = find(function, ctx, graph, method, order);
    if (status == TULLE_OK) status = tulle_order_create(ctx, graph->nodes, order, P);
    tulle__host_free(ctx, order);
    return status;
}

tulle_status tulle_order_fill(tulle_ctx *ctx, const tulle_mat *A, tulle_fill_order method,
                              tulle_order **P) {
    TULLE__NEED(P);
    *P = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    if (method != TULLE_AMD && method != TULLE_NESTED_DISSECTION) {
        return TULLE__BAD("method", "method is %d; there are TULLE_AMD and TULLE_NESTED_DISSECTION",
                          (int)method);
    }
    tulle__graph graph;
    TULLE__TRY(tulle__graph_of(__func__, ctx, A, true, &graph));
    tulle_status status = order_graph(__func__, ctx, &graph, method, P);
    tulle__graph_free(ctx, &graph);
    return status;
}
