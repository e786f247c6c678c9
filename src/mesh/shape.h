/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of elements: one table, which every loop over nodes, edges and facets, and every file
 * format, uses. */
#ifndef TULLE_MESH_SHAPE_H
#define TULLE_MESH_SHAPE_H

#include "tulle/mesh.h"

enum { TULLE__FACET_CORNERS = 4 };

/* TULLE__SHAPES is the number of shapes. */
enum {
#define X(shape, text, dimension, order, nodes, corners, facets, facet) TULLE__COUNT_TO_##shape,
    TULLE_SHAPES(X)
#undef X
        TULLE__SHAPES
};

/* The kind of a shape, which says how basis.c makes the basis functions. */
typedef enum tulle__shape_kind {
    TULLE__PRODUCT, /* an interval or a product of intervals, with all nodes */
    /* a product of intervals without nodes in the middles of the faces and of the cell */
    TULLE__SERENDIPITY,
    TULLE__SIMPLEX,
    TULLE__PRISM,  /* a triangle times an interval */
    TULLE__PYRAMID /* a pyramid: rational functions, because four sides meet at the top */
} tulle__shape_kind;

typedef struct tulle__shape {
    tulle_shape_info info;
    tulle__shape_kind kind;
    int gmsh, vtk; /* numbers of the shape in Gmsh's and VTK's files */
    /* place of each node in the reference cell, in units of 1 / unit */
    const signed char (*point)[3];
    int unit;                                         /* unit of `point`: number of parts of 1 */
    const signed char (*facet)[TULLE__FACET_CORNERS]; /* corners of each facet */
    /* index of the node that is the i-th one in Gmsh's order; NULL: i */
    const signed char *gmsh_order;
    /* index of the node that is the i-th one in VTK's order; NULL: i */
    const signed char *vtk_order;
} tulle__shape;

TULLE_BEGIN

/* Returns the row of a shape, or NULL if there is no such shape. */
TULLE_API const tulle__shape *tulle__shape_of(tulle_shape shape);

TULLE_API int tulle__shape_count(void);

TULLE_END

/* Returns the index, in the cell, of node i of a facet. */
int tulle__facet_node(const tulle__shape *cell, int facet, int i);

/* Returns the shape of a facet. The facets of a prism and of a pyramid have two shapes. */
tulle_shape tulle__facet_shape(const tulle__shape *cell, int facet);

/* Computes, at a place of the reference cell, the basis functions of a shape, each 1 at its node
 * and 0 at the others, and their derivatives along the axes (basis.c). At the top of a pyramid
 * there are no derivatives. */
void tulle__shape_basis(const tulle__shape *shape, const double at[3],
                        double value[TULLE_MESH_MOST_NODES],
                        double slope[TULLE_MESH_MOST_NODES][3]);

#endif
