/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/graph.h"
#include "mesh/permute.h"

/* A new order of nodes and elements. */
typedef struct numbering {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    int64_t *nodes, *elements;
    int32_t *place; /* of each node in the new order */
    int64_t *begin; /* nodes + 2: where elements with this least node go */
} numbering;

static tulle_status order_nodes(numbering *n) {
    tulle__graph graph;
    TULLE__TRY(tulle__mesh_graph(n->ctx, n->mesh, &graph));
    const tulle_status status = tulle__order_rcm_graph(n->ctx, &graph, n->nodes);
    tulle__graph_free(n->ctx, &graph);
    return status;
}

static int32_t least_node(const numbering *n, const tulle_mesh_block *block, int64_t i) {
    const int32_t *node = tulle__element(block, i);
    int32_t least = n->place[node[0]];
    for (int k = 1; k < tulle__shape_of(block->shape)->info.nodes; k++) {
        if (n->place[node[k]] < least) least = n->place[node[k]];
    }
    return least;
}

/* Counts, then places, in the order of before. */
static void order_elements(numbering *n, const tulle_mesh_block *block, int64_t first) {
    const int64_t nodes = n->mesh->info.nodes;
    for (int64_t v = 0; v < nodes + 2; v++) n->begin[v] = 0;
    for (int64_t i = 0; i < block->count; i++) n->begin[least_node(n, block, i) + 2]++;
    for (int64_t v = 0; v < nodes; v++) n->begin[v + 2] += n->begin[v + 1];
    for (int64_t i = 0; i < block->count; i++) {
        n->elements[first + n->begin[least_node(n, block, i) + 1]++] = first + i;
    }
}

static tulle_status find_orders(numbering *n) {
    const tulle_mesh_info *info = &n->mesh->info;
    int64_t first = 0;
    void *array;
    TULLE__TRY(tulle__mesh_array(n->ctx, info->nodes, sizeof *n->nodes, &array));
    n->nodes = array;
    TULLE__TRY(order_nodes(n));
    TULLE__TRY(tulle__mesh_array(n->ctx, info->cells + info->facets, sizeof *n->elements, &array));
    n->elements = array;
    TULLE__TRY(tulle__mesh_array(n->ctx, info->nodes, sizeof *n->place, &array));
    n->place = array;
    TULLE__TRY(tulle__mesh_array(n->ctx, info->nodes + 2, sizeof *n->begin, &array));
    n->begin = array;
    for (int64_t i = 0; i < info->nodes; i++) n->place[n->nodes[i]] = (int32_t)i;
    for (int64_t b = 0; b < n->mesh->arrays.block_count; b++) {
        order_elements(n, &n->mesh->blocks[b], first);
        first += n->mesh->blocks[b].count;
    }
    return TULLE_OK;
}

/* The mesh and the orders that are wanted, or none of them. */
static tulle_status deliver(numbering *n, tulle_mesh **renumbered, tulle_order **nodes,
                            tulle_order **cells) {
    const tulle_mesh_info *info = &n->mesh->info;
    tulle_status status = tulle__mesh_permute(n->ctx, n->mesh, n->nodes, n->elements, renumbered);
    if (status == TULLE_OK && nodes) {
        status = tulle_order_create(n->ctx, info->nodes, n->nodes, nodes);
    }
    if (status == TULLE_OK && cells) {
        status = tulle_order_create(n->ctx, info->cells, n->elements, cells);
    }
    if (status == TULLE_OK) return TULLE_OK;
    tulle_mesh_destroy(*renumbered);
    *renumbered = NULL;
    if (nodes) {
        tulle_order_destroy(*nodes);
        *nodes = NULL;
    }
    return status;
}

tulle_status tulle_mesh_renumber(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_mesh **renumbered,
                                 tulle_order **nodes, tulle_order **cells) {
    TULLE__NEED(renumbered);
    *renumbered = NULL;
    if (nodes) *nodes = NULL;
    if (cells) *cells = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    numbering n = {.ctx = ctx, .mesh = mesh};
    tulle_status status = find_orders(&n);
    if (status == TULLE_OK) status = deliver(&n, renumbered, nodes, cells);
    tulle__host_free(ctx, n.nodes);
    tulle__host_free(ctx, n.elements);
    tulle__host_free(ctx, n.place);
    tulle__host_free(ctx, n.begin);
    return status;
}
