/* SPDX-License-Identifier: Apache-2.0 */
/* Cells looked at one by one, by their coordinates in f64. */
#ifndef TULLE_FEM_PATCHES_LOOK_H
#define TULLE_FEM_PATCHES_LOOK_H

#include "fem/elements/cell.h"
#include "mesh/mesh.h"

/* A cell whose Jacobian is constant, to what its coordinates are known to, or the type; another; or
 * one that is turned over, without volume, or has a node twice. */
typedef enum tulle__finding {
    TULLE__CELL_AFFINE,
    TULLE__CELL_GENERAL,
    TULLE__CELL_BAD
} tulle__finding;

/* A cell of order 1: coordinates of its corners, and as sums of products of those of the reference
 * cell. */
typedef struct tulle__look {
    tulle_shape shape;
    int dimension, nodes;
    double corner[3][TULLE__CELL_NODES], monomial[3][TULLE__CELL_NODES];
} tulle__look;
tulle__look tulle__look_at(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes);

/* Finds out about a cell of order 1, or of order 2 whose nodes are in the lattice's order. */
tulle__finding tulle__look_at_cell(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes,
                                   tulle_type type);
tulle__finding tulle__look_at_lattice(const tulle_mesh *mesh, const int32_t *nodes,
                                      tulle_type type);

/* Tells that the Jacobian of a cell of order 1 is constant; nothing else is looked at. */
bool tulle__is_cell_affine(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes,
                           tulle_type type);

#endif
