/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a mesh of the rim of a mesh (the facets that only one cell has). All facets of one shape
 * are a block. Where facets have two shapes, the shape of the first facet comes first. */
#include <string.h>

#include "mesh/facets.h"

/* The boundary that is being made; its blocks are filled facet by facet. */
typedef struct building {
    tulle_mesh *made;
    const tulle_mesh *mesh;
    const tulle__mesh_rim *rim;
    int64_t blocks, count[TULLE__SHAPES];
    tulle_shape shape[TULLE__SHAPES]; /* shape of the facets of each block */
} building;

static const char *const what = "making the boundary";

static int64_t block_of(building *b, tulle_shape shape) {
    int64_t i = 0;
    while (i < b->blocks && b->shape[i] != shape) i++;
    if (i == b->blocks) b->shape[b->blocks++] = shape;
    return i;
}

static tulle_shape shape_of(const building *b, int64_t i) {
    int32_t nodes[TULLE_MESH_MOST_NODES];
    const tulle__shape *shape = tulle__side_nodes(b->mesh, b->rim->side[i], nodes);
    for (int s = 0; s < tulle__shape_count(); s++) {
        if (tulle__shape_of((tulle_shape)s) == shape) return (tulle_shape)s;
    }
    return TULLE_LINE;
}

static tulle_status make_blocks(building *b) {
    void *array;
    for (int64_t i = 0; i < b->rim->count; i++) {
        TULLE__TRY(tulle__ask(b->made->ctx, what, i, b->rim->count));
        b->count[block_of(b, shape_of(b, i))]++;
    }
    TULLE__TRY(tulle__mesh_array(b->made->ctx, b->blocks, sizeof *b->made->blocks, &array));
    b->made->blocks = array;
    b->made->arrays.block_count = b->blocks;
    for (int64_t k = 0; k < b->blocks; k++) {
        TULLE__TRY(tulle__mesh_block_new(b->made->ctx, b->shape[k], b->count[k], true,
                                         &b->made->blocks[k]));
    }
    TULLE__TRY(tulle__mesh_array(b->made->ctx, b->rim->count, sizeof *b->made->sides, &array));
    b->made->sides = array;
    return TULLE_OK;
}

static tulle_status fill_blocks(building *b) {
    int64_t next[TULLE__SHAPES] = {0}, first[TULLE__SHAPES] = {0};
    for (int64_t k = 1; k < b->blocks; k++) first[k] = first[k - 1] + b->count[k - 1];
    for (int64_t i = 0; i < b->rim->count; i++) {
        TULLE__TRY(tulle__ask(b->made->ctx, what, i, b->rim->count));
        int32_t nodes[TULLE_MESH_MOST_NODES];
        const tulle__shape *shape = tulle__side_nodes(b->mesh, b->rim->side[i], nodes);
        const int64_t k = block_of(b, shape_of(b, i)), at = next[k]++;
        const tulle_mesh_block *block = &b->made->blocks[k];
        memcpy((int32_t *)block->nodes + at * shape->info.nodes, nodes,
               (size_t)shape->info.nodes * sizeof *nodes);
        ((int32_t *)block->groups)[at] = b->rim->group[i];
        b->made->sides[first[k] + at] = b->rim->side[i];
    }
    return TULLE_OK;
}

static tulle_status build(building *b) {
    tulle_mesh *parent = (tulle_mesh *)b->mesh;
    b->made->of = parent;
    atomic_fetch_add(&parent->owners, 1);
    b->made->arrays.node_count = parent->info.nodes;
    TULLE__TRY(tulle__mesh_groups_copy(b->made, parent->arrays.groups, parent->arrays.group_count));
    TULLE__TRY(tulle__mesh_unions_copy(b->made, parent->arrays.unions, parent->arrays.union_count));
    TULLE__TRY(make_blocks(b));
    TULLE__TRY(fill_blocks(b));
    return tulle__mesh_ready(b->made);
}

static tulle_status wrong(const tulle_mesh *mesh, const tulle__mesh_fault *fault) {
    char words[TULLE__MESH_FAULT_TEXT];
    tulle__mesh_fault_words(mesh, fault, &(tulle__mesh_names){.elements = NULL}, words);
    return tulle__fail(TULLE_INVALID_MESH, "tulle_mesh_boundary", "mesh", fault->element, "%s",
                       words);
}

tulle_status tulle_mesh_boundary(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_mesh **boundary,
                                 const int64_t **sides) {
    TULLE__NEED(boundary);
    *boundary = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    if (mesh->info.cell_dimension == 1) {
        return tulle__fail(TULLE_UNSUPPORTED, __func__, "mesh", -1,
                           "the mesh is of lines, whose ends are no elements");
    }
    tulle__mesh_fault fault;
    tulle__mesh_rim rim;
    TULLE__TRY(tulle__mesh_rim_find(ctx, mesh, &rim, &fault));
    if (fault.kind != TULLE__MESH_GOOD) return wrong(mesh, &fault);
    building b = {.mesh = mesh, .rim = &rim};
    tulle_status status = tulle__mesh_new(ctx, mesh->info.dimension, &b.made);
    if (status == TULLE_OK) status = build(&b);
    tulle__mesh_rim_free(ctx, &rim);
    if (status != TULLE_OK) {
        tulle_mesh_destroy(b.made);
        return status;
    }
    *boundary = b.made;
    if (sides) *sides = b.made->sides;
    return TULLE_OK;
}
