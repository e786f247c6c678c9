/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the elements of a mesh from an outline. */
#ifndef TULLE_IO_MESH_BUILD_H
#define TULLE_IO_MESH_BUILD_H

#include "io/mesh/generator.h"

/* A mesh whose blocks are being filled, one element after the other. */
typedef struct tulle__mesh_builder {
    const tulle__mesh_request *request;
    const tulle__outline *outline;
    tulle_mesh *mesh;
    int64_t filled[2]; /* number of cells, and of facets, that are filled */
} tulle__mesh_builder;

/* Returns the node of layer `layer` above node `node` of the outline. */
static inline int32_t tulle__extruded(const tulle__mesh_builder *b, int64_t layer, int32_t node) {
    return (int32_t)(layer * b->outline->nodes + node);
}

/* Adds an element to the cells (block 0) or the facets (block 1), in the given group; returns the
 * place for its nodes. */
int32_t *tulle__next_element(tulle__mesh_builder *b, int block, int32_t group);

/* Each of these functions makes all elements: tulle__fill_products quadrilaterals or hexahedra,
 * tulle__fill_simplices triangles or tetrahedra. */
tulle_status tulle__fill_products(tulle__mesh_builder *b);
tulle_status tulle__fill_simplices(tulle__mesh_builder *b);

#endif
