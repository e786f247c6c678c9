/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/graph.h"

static const char *const what = "listing neighbours";

/* The cells of each node, and marks by which a search passes each neighbour once. */
typedef struct stars {
    const tulle_mesh *mesh;
    /* nodes + 2 positions: the cells of node v are cell[begin[v]] to cell[begin[v + 1] - 1] */
    int64_t *begin;
    int64_t *cell;
    int32_t *last; /* for each node the last node whose neighbour it was found to be */
} stars;

static tulle_status list_cells(tulle_ctx *ctx, stars *s) {
    const tulle_mesh *mesh = s->mesh;
    void *array;
    TULLE__TRY(tulle__mesh_array(ctx, mesh->info.nodes + 2, sizeof *s->begin, &array));
    s->begin = array;
    for (int pass = 0; pass < 2; pass++) {
        int64_t cell = 0;
        for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
            const tulle_mesh_block *block = &mesh->blocks[b];
            const int nodes = tulle__shape_of(block->shape)->info.nodes;
            for (int64_t i = 0; i < block->count; i++, cell++) {
                const int32_t *node = tulle__element(block, i);
                TULLE__TRY(tulle__ask(ctx, what, cell, mesh->info.cells));
                for (int k = 0; k < nodes; k++) {
                    if (pass == 0) s->begin[node[k] + 2]++;
                    if (pass == 1) s->cell[s->begin[node[k] + 1]++] = cell;
                }
            }
        }
        if (pass == 1) break;
        for (int64_t v = 0; v < mesh->info.nodes; v++) s->begin[v + 2] += s->begin[v + 1];
        TULLE__TRY(tulle__mesh_array(ctx, s->begin[mesh->info.nodes + 1] + 1, 8, &array));
        s->cell = array;
    }
    return TULLE_OK;
}

/* Counts the neighbours of a node, with the node itself left out; also lists them unless list is
 * NULL. */
static int64_t neighbours_of(const stars *s, int64_t node, int32_t *list) {
    const tulle_mesh *mesh = s->mesh;
    int64_t count = 0;
    s->last[node] = (int32_t)node;
    for (int64_t k = s->begin[node]; k < s->begin[node + 1]; k++) {
        int64_t cell = s->cell[k];
        const tulle_mesh_block *block = &mesh->blocks[tulle__block_of(mesh, 0, &cell)];
        const int32_t *of = tulle__element(block, cell);
        const int nodes = tulle__shape_of(block->shape)->info.nodes;
        for (int n = 0; n < nodes; n++) {
            if (s->last[of[n]] == node) continue;
            s->last[of[n]] = (int32_t)node;
            if (list) list[count] = of[n];
            count++;
        }
    }
    return count;
}

static void forget(const stars *s) {
    for (int64_t v = 0; v < s->mesh->info.nodes; v++) s->last[v] = -1;
}

static tulle_status list_neighbours(tulle_ctx *ctx, stars *s, tulle__graph *graph) {
    const int64_t nodes = s->mesh->info.nodes;
    void *array;
    TULLE__TRY(list_cells(ctx, s));
    TULLE__TRY(tulle__mesh_array(ctx, nodes, sizeof *s->last, &array));
    s->last = array;
    TULLE__TRY(tulle__mesh_array(ctx, nodes + 1, sizeof *graph->begin, &array));
    graph->begin = array;
    forget(s);
    for (int64_t v = 0; v < nodes; v++) {
        TULLE__TRY(tulle__ask(ctx, what, v, nodes));
        graph->begin[v + 1] = graph->begin[v] + neighbours_of(s, v, NULL);
    }
    TULLE__TRY(tulle__mesh_array(ctx, graph->begin[nodes], sizeof(int32_t), &graph->neighbours));
    forget(s);
    for (int64_t v = 0; v < nodes; v++) {
        TULLE__TRY(tulle__ask(ctx, what, v, nodes));
        neighbours_of(s, v, (int32_t *)graph->neighbours + graph->begin[v]);
    }
    return TULLE_OK;
}

tulle_status tulle__mesh_graph(tulle_ctx *ctx, const tulle_mesh *mesh, tulle__graph *graph) {
    stars s = {.mesh = mesh};
    *graph = (tulle__graph){.nodes = mesh->info.nodes, .narrow = true};
    const tulle_status status = list_neighbours(ctx, &s, graph);
    tulle__host_free(ctx, s.begin);
    tulle__host_free(ctx, s.cell);
    tulle__host_free(ctx, s.last);
    if (status != TULLE_OK) tulle__graph_free(ctx, graph);
    return status;
}
