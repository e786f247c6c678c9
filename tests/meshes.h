/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of meshes share. */
#ifndef TESTS_MESHES_H
#define TESTS_MESHES_H

#include <stdbool.h>

#include "tulle/mesh.h"

/* Specifications of all kinds of meshes, with what is known of them; then a NULL. */
typedef struct {
    const char *spec;
    int64_t nodes, cells, facets;
    double volume; /* below 0: not known */
} mesh_case;
extern const mesh_case mesh_cases[];

/* Fails the test where the library does. */
tulle_mesh *mesh_of(tulle_ctx *ctx, const char *spec);
tulle_mesh_arrays mesh_arrays(const tulle_mesh *mesh);
tulle_mesh_info mesh_info(const tulle_mesh *mesh);
int shape_nodes(tulle_shape shape);

/* The area or volume that a mesh of lines, triangles or quadrilaterals encloses, whose normals
 * point out, by the divergence theorem; of its corners. */
double mesh_enclosed(const tulle_mesh *boundary);

/* Whether all arrays are the same, bit by bit. */
bool mesh_equal(const tulle_mesh *a, const tulle_mesh *b);

/* A mesh of one block of cells, and perhaps one of facets. */
static inline tulle_mesh_arrays mesh_small(int dimension, int64_t nodes, const double *x,
                                           const tulle_mesh_block *blocks, int64_t count) {
    return (tulle_mesh_arrays){.dimension = dimension,
                               .node_count = nodes,
                               .coordinates = x,
                               .block_count = count,
                               .blocks = blocks};
}

#endif
