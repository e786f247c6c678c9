/* SPDX-License-Identifier: Apache-2.0 */
/* The scaled Jacobian of an element; see tulle_mesh_quality. */
#ifndef TULLE_MESH_JACOBIAN_H
#define TULLE_MESH_JACOBIAN_H

#include "mesh/mesh.h"

/* The least scaled Jacobian of a cell with a volume: what rounding leaves of 0 where coordinates
 * are thousands of cells away from the origin. */
#define TULLE__FLAT 0x1p-40

/* A tetrahedron of order 2 has one for each of its nodes and corners. */
enum { TULLE__MOST_FRAMES = 40 };

/* The places at which an element of a shape is looked at, and at each the columns of the Jacobian
 * as sums of its nodes' coordinates. */
typedef struct tulle__frames {
    int count, columns, nodes;
    double scale; /* of a regular element to 1 */
    double weight[TULLE__MOST_FRAMES][3][TULLE_MESH_MOST_NODES];
} tulle__frames;

void tulle__frames_of(const tulle__shape *shape, tulle__frames *frames);

/* Of an element with these nodes of the mesh. */
double tulle__scaled_jacobian(const tulle__frames *frames, const tulle_mesh *mesh,
                              const int32_t *nodes);

#endif
