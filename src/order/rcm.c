/* SPDX-License-Identifier: Apache-2.0 */
/* The reverse Cuthill-McKee order of the graph of a matrix. */
#ifndef NODE

#include "order/graph.h"
#include "order/order.h"

/* Number of nodes that are placed between two reports of progress. */
enum { STEP = 1 << 16 };

/* A graph whose nodes are being placed. */
typedef struct walk {
    tulle_ctx *ctx;
    tulle__graph graph;
    /* order of the nodes, and scratch before that; 32 or 64 bits per number, as in the graph */
    void *order;
    unsigned char *seen; /* 1 for each node that has been seen */
} walk;

#define TULLE__SELF "order/rcm.c"
#define NODE int32_t
#define NAME(function) function##_32
#include TULLE__SELF
#undef NODE
#undef NAME
#define NODE int64_t
#define NAME(function) function##_64
#include TULLE__SELF
#undef NODE
#undef NAME

static tulle_status order_nodes(walk *g, int64_t *order) {
    size_t bytes;
    TULLE__TRY(tulle__size(g->graph.nodes, g->graph.narrow ? 4 : 8, 0, &bytes));
    g->order = tulle__host_alloc(g->ctx, bytes);
    g->seen = tulle__host_alloc(g->ctx, (size_t)g->graph.nodes);
    if (!g->order || !g->seen) return TULLE_OUT_OF_MEMORY;
    return g->graph.narrow ? rcm_32(g, order) : rcm_64(g, order);
}

tulle_status tulle__order_rcm_graph(tulle_ctx *ctx, const tulle__graph *graph, int64_t *order) {
    walk g = {.ctx = ctx, .graph = *graph};
    const tulle_status status = order_nodes(&g, order);
    tulle__host_free(ctx, g.order);
    tulle__host_free(ctx, g.seen);
    return status;
}

static tulle_status order_graph(tulle_ctx *ctx, const tulle__graph *graph, tulle_order **P) {
    size_t bytes;
    TULLE__TRY(tulle__size(graph->nodes, sizeof(int64_t), 0, &bytes));
    int64_t *order = tulle__host_alloc(ctx, bytes);
    if (!order) return TULLE_OUT_OF_MEMORY;
    tulle_status status = tulle__order_rcm_graph(ctx, graph, order);
    if (status == TULLE_OK) status = tulle_order_create(ctx, graph->nodes, order, P);
    tulle__host_free(ctx, order);
    return status;
}

tulle_status tulle_order_rcm(tulle_ctx *ctx, const tulle_mat *A, tulle_order **P) {
    TULLE__NEED(P);
    *P = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    tulle__graph graph;
    TULLE__TRY(tulle__graph_of(__func__, ctx, A, false, &graph));
    const tulle_status status = order_graph(ctx, &graph, P);
    tulle__graph_free(ctx, &graph);
    return status;
}

#else

/* Appends the neighbours of v that have not been seen to the queue; returns its new length. */
static int64_t NAME(visit)(walk *g, NODE v, NODE *queue, int64_t length) {
    const NODE *neighbours = g->graph.neighbours;
    for (int64_t k = g->graph.begin[v]; k < g->graph.begin[v + 1]; k++) {
        NODE w = neighbours[k];
        if (g->seen[w]) continue;
        g->seen[w] = 1;
        queue[length++] = w;
    }
    return length;
}

/* The levels of a component: numbers of nodes and of levels but one, and the start of the last
 * level in the queue. levels_from visits the component of root level by level, and puts it into the
 * queue. */
typedef struct NAME(levels) {
    int64_t nodes, height, last;
} NAME(levels);

static NAME(levels) NAME(levels_from)(walk *g, NODE root, NODE *queue) {
    NAME(levels) found = {.nodes = 1};
    int64_t level_end = 1;
    queue[0] = root;
    g->seen[root] = 1;
    for (int64_t head = 0; head < found.nodes; head++) {
        if (head == level_end) {
            found.height++;
            found.last = head;
            level_end = found.nodes;
        }
        found.nodes = NAME(visit)(g, queue[head], queue, found.nodes);
    }
    for (int64_t i = 0; i < found.nodes; i++) g->seen[queue[i]] = 0;
    return found;
}

/* Compares nodes by degree, then by number. */
static bool NAME(before)(const walk *g, NODE v, NODE w) {
    const int64_t *begin = g->graph.begin;
    const int64_t of_v = begin[v + 1] - begin[v], of_w = begin[w + 1] - begin[w];
    return of_v != of_w ? of_v < of_w : v < w;
}

/* Returns a node at an end of the component of root, as George and Liu do: the node of least degree
 * in the last level is the next root, as long as that makes more levels. */
static NODE NAME(far_node)(walk *g, NODE root, NODE *queue) {
    int64_t height = -1;
    NAME(levels) found = NAME(levels_from)(g, root, queue);
    while (found.height > height) {
        height = found.height;
        root = queue[found.last];
        for (int64_t i = found.last + 1; i < found.nodes; i++) {
            if (NAME(before)(g, queue[i], root)) root = queue[i];
        }
        found = NAME(levels_from)(g, root, queue);
    }
    return root;
}

/* Moves node v down from place i to its place in a heap of n nodes, which has the last node of the
 * order at its root. */
static void NAME(sink)(const walk *g, NODE *heap, int64_t n, int64_t i, NODE v) {
    for (int64_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && NAME(before)(g, heap[child], heap[child + 1])) child++;
        if (!NAME(before)(g, v, heap[child])) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = v;
}

static void NAME(sort)(const walk *g, NODE *nodes, int64_t n) {
    for (int64_t i = n / 2; i > 0; i--) NAME(sink)(g, nodes, n, i - 1, nodes[i - 1]);
    for (int64_t left = n - 1; left > 0; left--) {
        NODE v = nodes[left];
        nodes[left] = nodes[0];
        NAME(sink)(g, nodes, left, 0, v);
    }
}

/* Puts the component of root into the queue, in the order of Cuthill and McKee. */
static tulle_status NAME(place_component)(walk *g, NODE root, NODE *queue, int64_t *nodes) {
    queue[0] = root;
    g->seen[root] = 1;
    *nodes = 1;
    for (int64_t head = 0; head < *nodes; head++) {
        int64_t placed = queue - (NODE *)g->order + head;
        if (placed % STEP == 0) {
            TULLE__TRY(tulle__progress(g->ctx, "ordering", placed, g->graph.nodes));
        }
        int64_t end = NAME(visit)(g, queue[head], queue, *nodes);
        NAME(sort)(g, queue + *nodes, end - *nodes);
        *nodes = end;
    }
    return TULLE_OK;
}

static tulle_status NAME(rcm)(walk *g, int64_t *order) {
    NODE *queue = g->order;
    int64_t placed = 0, nodes = 0;
    for (int64_t v = 0; v < g->graph.nodes; v++) {
        if (g->seen[v]) continue;
        NODE root = NAME(far_node)(g, (NODE)v, queue + placed);
        TULLE__TRY(NAME(place_component)(g, root, queue + placed, &nodes));
        placed += nodes;
    }
    for (int64_t i = 0; i < g->graph.nodes; i++) order[i] = queue[g->graph.nodes - 1 - i];
    return tulle__progress(g->ctx, "ordering", g->graph.nodes, g->graph.nodes);
}

#endif
