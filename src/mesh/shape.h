/* SPDX-License-Identifier: Apache-2.0 */
/* What shapes of elements are like: one table, of which every loop over nodes, edges and facets,
 * and every file format, takes what it needs. */
#ifndef TULLE_MESH_SHAPE_H
#define TULLE_MESH_SHAPE_H

#include "tulle/mesh.h"

enum { TULLE__FACET_CORNERS = 4 };

typedef struct tulle__shape {
    tulle_shape_info info;
    bool simplex;                  /* else intervals, or products of these */
    int gmsh, vtk;                 /* what file formats call it */
    const signed char (*point)[3]; /* nodes: where they are in the reference cell */
    const signed char (*facet)[TULLE__FACET_CORNERS]; /* facets: their corners */
    const signed char *gmsh_order; /* nodes: which of ours is Gmsh's i-th; NULL: the same */
} tulle__shape;

TULLE_BEGIN

/* NULL: there is no such shape. */
TULLE_API const tulle__shape *tulle__shape_of(tulle_shape shape);

TULLE_API int tulle__shape_count(void);

TULLE_END

/* The place, in a cell's list, of node i of a facet. */
int tulle__facet_node(const tulle__shape *cell, int facet, int i);

#endif
