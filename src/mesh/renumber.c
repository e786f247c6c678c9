/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/graph.h"
#include "mesh/permute.h"

/* A new order of the nodes and elements of a mesh. */
typedef struct numbering {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    int64_t *nodes, *elements;
    int32_t *place; /* index of each node in the new order */
    int64_t *begin; /* nodes + 2 positions: place of the elements with this least node */
} numbering;

static const char *const what = "ordering elements";

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

/* If `listed` is NULL, counts the elements of all blocks with least node v in begin[v + 2]; else
 * lists them from position begin[v + 1] on, in their old order. */
static tulle_status list_elements(numbering *n, int64_t *listed) {
    const tulle_mesh *mesh = n->mesh;
    for (int64_t b = 0, first = 0; b < mesh->arrays.block_count; first += mesh->blocks[b++].count) {
        for (int64_t i = 0; i < mesh->blocks[b].count; i++) {
            TULLE__TRY(tulle__ask(n->ctx, what, first + i, mesh->info.cells + mesh->info.facets));
            const int32_t least = least_node(n, &mesh->blocks[b], i);
            if (listed) {
                listed[n->begin[least + 1]++] = first + i;
            } else {
                n->begin[least + 2]++;
            }
        }
    }
    return TULLE_OK;
}

/* Divides the order of all elements by their least nodes into the orders of the blocks. */
static tulle_status part_elements(numbering *n, const int64_t *listed, int64_t *next) {
    const tulle_mesh *mesh = n->mesh;
    const int64_t all = mesh->info.cells + mesh->info.facets;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) next[b] = mesh->starts[b];
    for (int64_t k = 0; k < all; k++) {
        TULLE__TRY(tulle__ask(n->ctx, what, k, all));
        int64_t element = listed[k];
        n->elements[next[tulle__block_of(mesh, 0, &element)]++] = listed[k];
    }
    return TULLE_OK;
}

/* Sorts the elements by their least node, for all blocks at once, because there may be many
 * blocks. */
static tulle_status order_elements(numbering *n) {
    const tulle_mesh_info *info = &n->mesh->info;
    void *listed = NULL, *next = NULL;
    tulle_status status =
        tulle__mesh_array(n->ctx, info->cells + info->facets, sizeof(int64_t), &listed);
    if (status == TULLE_OK)
        status = tulle__mesh_array(n->ctx, n->mesh->arrays.block_count, sizeof(int64_t), &next);
    if (status == TULLE_OK) status = list_elements(n, NULL);
    if (status == TULLE_OK) {
        for (int64_t v = 0; v < info->nodes; v++) n->begin[v + 2] += n->begin[v + 1];
        status = list_elements(n, listed);
    }
    if (status == TULLE_OK) status = part_elements(n, listed, next);
    tulle__host_free(n->ctx, listed);
    tulle__host_free(n->ctx, next);
    return status;
}

static tulle_status find_orders(numbering *n) {
    const tulle_mesh_info *info = &n->mesh->info;
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
    return order_elements(n);
}

/* Makes the mesh and the orders that the caller wants; after a failure makes none of them. */
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
