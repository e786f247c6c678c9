/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/permute.h"

static const char *const what = "permuting the mesh";

static tulle_status move_nodes(const tulle_mesh *mesh, const int64_t *nodes, tulle_mesh *made,
                               int32_t *place) {
    const int64_t dimension = mesh->info.dimension;
    void *array;
    TULLE__TRY(tulle__mesh_array(made->ctx, mesh->info.nodes, dimension * 8, &array));
    made->coordinates = array;
    made->arrays.node_count = mesh->info.nodes;
    for (int64_t i = 0; i < mesh->info.nodes; i++) {
        TULLE__TRY(tulle__ask(made->ctx, what, i, mesh->info.nodes));
        for (int64_t d = 0; d < dimension; d++) {
            made->coordinates[i * dimension + d] = tulle__node(mesh, nodes[i])[d];
        }
        place[nodes[i]] = (int32_t)i;
    }
    return TULLE_OK;
}

static tulle_status move_elements(const tulle_mesh *mesh, int64_t b, const int64_t *elements,
                                  int64_t first, const int32_t *place, tulle_mesh *made) {
    const tulle_mesh_block *from = &mesh->blocks[b];
    tulle_mesh_block *to = &made->blocks[b];
    const int nodes = tulle__shape_of(from->shape)->info.nodes;
    TULLE__TRY(
        tulle__mesh_block_new(made->ctx, from->shape, from->count, from->groups != NULL, to));
    for (int64_t i = 0; i < from->count; i++) {
        TULLE__TRY(tulle__ask(made->ctx, what, first + i, mesh->info.cells + mesh->info.facets));
        const int64_t old = elements[first + i] - first;
        int32_t *node = (int32_t *)tulle__element(to, i);
        for (int n = 0; n < nodes; n++) node[n] = place[tulle__element(from, old)[n]];
        if (from->groups) ((int32_t *)to->groups)[i] = from->groups[old];
    }
    return TULLE_OK;
}

static tulle_status fill(const tulle_mesh *mesh, const int64_t *nodes, const int64_t *elements,
                         int32_t *place, tulle_mesh *made) {
    void *array;
    int64_t first = 0;
    TULLE__TRY(move_nodes(mesh, nodes, made, place));
    TULLE__TRY(
        tulle__mesh_array(made->ctx, mesh->arrays.block_count, sizeof *made->blocks, &array));
    made->blocks = array;
    made->arrays.block_count = mesh->arrays.block_count;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) {
        TULLE__TRY(move_elements(mesh, b, elements, first, place, made));
        first += mesh->blocks[b].count;
    }
    TULLE__TRY(tulle__mesh_groups_copy(made, mesh->arrays.groups, mesh->arrays.group_count));
    TULLE__TRY(tulle__mesh_unions_copy(made, mesh->arrays.unions, mesh->arrays.union_count));
    return tulle__mesh_ready(made);
}

tulle_status tulle__mesh_permute(tulle_ctx *ctx, const tulle_mesh *mesh, const int64_t *nodes,
                                 const int64_t *elements, tulle_mesh **permuted) {
    void *place;
    tulle_mesh *made = NULL;
    *permuted = NULL;
    TULLE__TRY(tulle__mesh_array(ctx, mesh->info.nodes, sizeof(int32_t), &place));
    tulle_status status = tulle__mesh_new(ctx, mesh->info.dimension, &made);
    if (status == TULLE_OK) status = fill(mesh, nodes, elements, place, made);
    tulle__host_free(ctx, place);
    if (status == TULLE_OK) {
        *permuted = made;
    } else {
        tulle_mesh_destroy(made);
    }
    return status;
}
