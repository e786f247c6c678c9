/* SPDX-License-Identifier: Apache-2.0 */
/* From a plan to elements. */
#ifndef TULLE_IO_MESH_BUILD_H
#define TULLE_IO_MESH_BUILD_H

#include "io/mesh/generator.h"

/* Blocks that are being filled, one element after the other. */
typedef struct tulle__mesh_builder {
    const tulle__mesh_request *request;
    const tulle__plan *plan;
    tulle_mesh *mesh;
    int64_t filled[2]; /* elements of the block of cells, and of that of facets */
} tulle__mesh_builder;

/* The node above node `node` of the plan, in a layer of nodes. */
static inline int32_t tulle__extruded(const tulle__mesh_builder *b, int64_t layer, int32_t node) {
    return (int32_t)(layer * b->plan->nodes + node);
}

/* Room for the next cell (block 0) or facet (block 1), which is then in that group. */
int32_t *tulle__next_element(tulle__mesh_builder *b, int block, int32_t group);

/* All elements: those of products of intervals, and of simplices; and how many cells and facets
 * these are. */
tulle_status tulle__fill_products(tulle__mesh_builder *b);
tulle_status tulle__fill_simplices(tulle__mesh_builder *b);

#endif
