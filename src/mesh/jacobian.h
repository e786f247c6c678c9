/* SPDX-License-Identifier: Apache-2.0 */
/* The scaled Jacobian of an element; see tulle_mesh_quality. */
#ifndef TULLE_MESH_JACOBIAN_H
#define TULLE_MESH_JACOBIAN_H

#include "mesh/mesh.h"

/* Least scaled Jacobian of a cell with a volume. Smaller values may be rounding errors of 0 where
 * coordinates are thousands of cells away from the origin. */
#define TULLE__FLAT 0x1p-40

/* Most frames of a shape: a tetrahedron of order 2 has one for each pair of a node and a corner. */
enum { TULLE__MOST_FRAMES = 40 };

/* The places at which the Jacobian of a shape is taken (frames), and for each place the columns of
 * the Jacobian as weighted sums of the nodes' coordinates. */
typedef struct tulle__frames {
    int count, columns, nodes;
    double scale; /* factor that makes the result 1 for a regular element */
    double weight[TULLE__MOST_FRAMES][3][TULLE_MESH_MOST_NODES];
} tulle__frames;

void tulle__frames_of(const tulle__shape *shape, tulle__frames *frames);

/* Returns the scaled Jacobian of the element with these nodes of the mesh: the least over all
 * frames. */
double tulle__scaled_jacobian(const tulle__frames *frames, const tulle_mesh *mesh,
                              const int32_t *nodes);

#endif
