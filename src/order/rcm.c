/* SPDX-License-Identifier: Apache-2.0 */
/* The reverse Cuthill-McKee order. The graph has an edge between i and j != i where A or its
 * transpose has an entry; nodes are numbered in 32 bits where these suffice. */
#ifndef NODE

#include "core/access.h"
#include "matrix/reformat.h"
#include "order/order.h"

/* How many nodes are placed between two reports of progress. */
enum { STEP = 1 << 16 };

/* Where the neighbours of node v stand: from begin[v] on, degree[v] of them, each once. */
typedef struct graph {
    tulle_ctx *ctx;
    int64_t nodes;
    int64_t *begin;      /* nodes + 2 */
    void *neighbours;    /* of type NODE, as the next two */
    void *degree;        /* nodes */
    void *order;         /* nodes: the result, and scratch before */
    unsigned char *seen; /* nodes */
    const void *offsets; /* of the CSR matrix, on the host */
    const void *columns;
    tulle_index index;
} graph;

static int64_t row_begin(const graph *g, int64_t row) {
    return tulle__get(g->offsets, tulle_offset_size(g->index), row);
}

static int64_t column(const graph *g, int64_t entry) {
    return tulle__get(g->columns, tulle_index_size(g->index), entry);
}

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

static tulle_status host_array(tulle_ctx *ctx, int64_t count, int64_t size, void **pointer) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    *pointer = tulle__host_alloc(ctx, bytes);
    return *pointer ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static void free_graph(graph *g) {
    tulle__host_free(g->ctx, g->begin);
    tulle__host_free(g->ctx, g->neighbours);
    tulle__host_free(g->ctx, g->degree);
    tulle__host_free(g->ctx, g->order);
    tulle__host_free(g->ctx, g->seen);
}

static tulle_status order_nodes(graph *g, int64_t nnz, int64_t *order) {
    bool narrow = g->nodes <= INT32_MAX;
    int64_t size = narrow ? 4 : 8;
    TULLE__TRY(host_array(g->ctx, g->nodes + 2, sizeof(int64_t), (void **)&g->begin));
    TULLE__TRY(host_array(g->ctx, nnz, 2 * size, &g->neighbours));
    TULLE__TRY(host_array(g->ctx, g->nodes, size, &g->degree));
    TULLE__TRY(host_array(g->ctx, g->nodes, size, &g->order));
    TULLE__TRY(host_array(g->ctx, g->nodes, 1, (void **)&g->seen));
    return narrow ? rcm_32(g, order) : rcm_64(g, order);
}

/* The matrix's own arrays where the host sees them, else copies. */
typedef struct host_csr {
    void *offsets, *columns;
} host_csr;

static tulle_status fetch(tulle_ctx *ctx, const tulle_mat *csr, host_csr *copy, graph *g) {
    const tulle__pattern *p = csr->pattern;
    g->offsets = p->offsets.data;
    g->columns = p->cols_of.data;
    if (ctx->kind == TULLE_CPU) return TULLE_OK;
    TULLE__TRY(host_array(ctx, p->rows + 1, tulle_offset_size(p->index), &copy->offsets));
    TULLE__TRY(host_array(ctx, p->nnz, tulle_index_size(p->index), &copy->columns));
    g->offsets = copy->offsets;
    g->columns = copy->columns;
    return tulle_mat_read(ctx, csr, copy->offsets, NULL, copy->columns, NULL);
}

static tulle_status order_csr(tulle_ctx *ctx, const tulle_mat *csr, tulle_order **P) {
    const tulle__pattern *p = csr->pattern;
    graph g = {.ctx = ctx, .nodes = p->rows, .index = p->index};
    host_csr copy = {0};
    int64_t *order = NULL;
    tulle_status status = fetch(ctx, csr, &copy, &g);
    if (status == TULLE_OK) status = host_array(ctx, p->rows, sizeof *order, (void **)&order);
    if (status == TULLE_OK) status = order_nodes(&g, p->nnz, order);
    free_graph(&g);
    tulle__host_free(ctx, copy.offsets);
    tulle__host_free(ctx, copy.columns);
    if (status == TULLE_OK) status = tulle_order_create(ctx, p->rows, order, P);
    tulle__host_free(ctx, order);
    return status;
}

tulle_status tulle_order_rcm(tulle_ctx *ctx, const tulle_mat *A, tulle_order **P) {
    TULLE__NEED(P);
    *P = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    const tulle__pattern *p = A->pattern;
    if (p->rows != p->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, __func__, "A", -1,
                           "A is %lld x %lld; only a square matrix has such an order",
                           (long long)p->rows, (long long)p->cols);
    }
    TULLE__TRY(tulle__check_offsets_fit(__func__, ctx, p->rows, p->index));
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__as_csr(ctx, A, p->index, false, &csr));
    tulle_status status = order_csr(ctx, csr, P);
    tulle_mat_destroy(csr);
    return status;
}

#else

static const NODE *NAME(neighbours_of)(const graph *g, int64_t v) {
    return (const NODE *)g->neighbours + g->begin[v];
}

/* Each entry off the diagonal makes a neighbour at both its ends. The ends are counted two places
 * further on, so that begin[v + 1], where v's next one goes, ends up as where v + 1 starts. */
static void NAME(list_ends)(graph *g) {
    NODE *neighbours = g->neighbours;
    for (int64_t i = 0; i < g->nodes; i++) {
        for (int64_t k = row_begin(g, i); k < row_begin(g, i + 1); k++) {
            int64_t j = column(g, k);
            g->begin[i + 2] += i != j;
            g->begin[j + 2] += i != j;
        }
    }
    for (int64_t v = 0; v < g->nodes; v++) g->begin[v + 2] += g->begin[v + 1];
    for (int64_t i = 0; i < g->nodes; i++) {
        for (int64_t k = row_begin(g, i); k < row_begin(g, i + 1); k++) {
            int64_t j = column(g, k);
            if (i == j) continue;
            neighbours[g->begin[i + 1]++] = (NODE)j;
            neighbours[g->begin[j + 1]++] = (NODE)i;
        }
    }
}

/* Keeps the first of equal neighbours. */
static void NAME(drop_repeated)(graph *g) {
    NODE *neighbours = g->neighbours, *degree = g->degree, *last = g->order;
    for (int64_t v = 0; v < g->nodes; v++) last[v] = -1;
    for (int64_t v = 0; v < g->nodes; v++) {
        int64_t kept = g->begin[v];
        for (int64_t k = g->begin[v]; k < g->begin[v + 1]; k++) {
            NODE w = neighbours[k];
            if (last[w] == v) continue;
            last[w] = (NODE)v;
            neighbours[kept++] = w;
        }
        degree[v] = (NODE)(kept - g->begin[v]);
    }
}

/* Appends the neighbours of v that nobody has seen to the queue; its new length. */
static int64_t NAME(visit)(graph *g, NODE v, NODE *queue, int64_t length) {
    const NODE *neighbours = NAME(neighbours_of)(g, v);
    for (NODE k = 0; k < ((const NODE *)g->degree)[v]; k++) {
        NODE w = neighbours[k];
        if (g->seen[w]) continue;
        g->seen[w] = 1;
        queue[length++] = w;
    }
    return length;
}

/* The component of root, level by level from there, into the queue. */
typedef struct NAME(levels) {
    int64_t nodes, height, last; /* last: where the last level begins */
} NAME(levels);

static NAME(levels) NAME(levels_from)(graph *g, NODE root, NODE *queue) {
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

/* By degree, then by number. */
static bool NAME(before)(const graph *g, NODE v, NODE w) {
    const NODE *degree = g->degree;
    return degree[v] != degree[w] ? degree[v] < degree[w] : v < w;
}

/* George and Liu: from the last level of a root, the node of least degree is the next root, as long
 * as that makes more levels. */
static NODE NAME(far_node)(graph *g, NODE root, NODE *queue) {
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

/* Lets node v sink to its place in a heap of n nodes below place i, the last one on top. */
static void NAME(sink)(const graph *g, NODE *heap, int64_t n, int64_t i, NODE v) {
    for (int64_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && NAME(before)(g, heap[child], heap[child + 1])) child++;
        if (!NAME(before)(g, v, heap[child])) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = v;
}

static void NAME(sort)(const graph *g, NODE *nodes, int64_t n) {
    for (int64_t i = n / 2; i > 0; i--) NAME(sink)(g, nodes, n, i - 1, nodes[i - 1]);
    for (int64_t left = n - 1; left > 0; left--) {
        NODE v = nodes[left];
        nodes[left] = nodes[0];
        NAME(sink)(g, nodes, left, 0, v);
    }
}

/* Cuthill and McKee: the component of root, into the queue. */
static tulle_status NAME(place_component)(graph *g, NODE root, NODE *queue, int64_t *nodes) {
    queue[0] = root;
    g->seen[root] = 1;
    *nodes = 1;
    for (int64_t head = 0; head < *nodes; head++) {
        int64_t placed = queue - (NODE *)g->order + head;
        if (placed % STEP == 0) {
            TULLE__TRY(tulle__progress(g->ctx, "ordering", placed, g->nodes));
        }
        int64_t end = NAME(visit)(g, queue[head], queue, *nodes);
        NAME(sort)(g, queue + *nodes, end - *nodes);
        *nodes = end;
    }
    return TULLE_OK;
}

static tulle_status NAME(rcm)(graph *g, int64_t *order) {
    NODE *queue = g->order;
    NAME(list_ends)(g);
    NAME(drop_repeated)(g);
    int64_t placed = 0, nodes = 0;
    for (int64_t v = 0; v < g->nodes; v++) {
        if (g->seen[v]) continue;
        NODE root = NAME(far_node)(g, (NODE)v, queue + placed);
        TULLE__TRY(NAME(place_component)(g, root, queue + placed, &nodes));
        placed += nodes;
    }
    for (int64_t i = 0; i < g->nodes; i++) order[i] = queue[g->nodes - 1 - i];
    return tulle__progress(g->ctx, "ordering", g->nodes, g->nodes);
}

#endif
