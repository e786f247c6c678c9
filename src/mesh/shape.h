/* SPDX-License-Identifier: Apache-2.0 */
/* What shapes of elements are like: one table, of which every loop over nodes, edges and facets,
 * and every file format, takes what it needs. */
#ifndef TULLE_MESH_SHAPE_H
#define TULLE_MESH_SHAPE_H

#include "tulle/mesh.h"

enum { TULLE__FACET_CORNERS = 4 };

/* How many shapes there are. */
enum {
#define X(shape, text, dimension, order, nodes, corners, facets, facet) TULLE__COUNT_TO_##shape,
    TULLE_SHAPES(X)
#undef X
        TULLE__SHAPES
};

/* How the functions of a shape are made (basis.c). */
typedef enum tulle__shape_kind {
    TULLE__PRODUCT,     /* an interval, or a product of these, with all its nodes */
    TULLE__SERENDIPITY, /* an interval or a product of these without middles of faces and of
                            the cell */
    TULLE__SIMPLEX,
    TULLE__PRISM,  /* a triangle times an interval */
    TULLE__PYRAMID /* rational, for its four sides come together at the top */
} tulle__shape_kind;

typedef struct tulle__shape {
    tulle_shape_info info;
    tulle__shape_kind kind;
    int gmsh, vtk;                 /* what file formats call it */
    const signed char (*point)[3]; /* nodes: where they are in the reference cell, */
    int unit;                      /* in so many parts of 1 */
    const signed char (*facet)[TULLE__FACET_CORNERS]; /* facets: their corners */
    const signed char *gmsh_order; /* nodes: which of ours is Gmsh's i-th; NULL: the same */
    const signed char *vtk_order;  /* the same of VTK's */
} tulle__shape;

TULLE_BEGIN

/* NULL: there is no such shape. */
TULLE_API const tulle__shape *tulle__shape_of(tulle_shape shape);

TULLE_API int tulle__shape_count(void);

TULLE_END

/* The place, in a cell's list, of node i of a facet. */
int tulle__facet_node(const tulle__shape *cell, int facet, int i);

/* The shape of a facet; facets of a prism and of a pyramid have two shapes. */
tulle_shape tulle__facet_shape(const tulle__shape *cell, int facet);

/* The functions of a shape, each 1 at its node and 0 at the others, at a place of the reference
 * cell, and their derivatives along its axes (basis.c). At the top of a pyramid there are no
 * derivatives. */
void tulle__shape_basis(const tulle__shape *shape, const double at[3],
                        double value[TULLE_MESH_MOST_NODES],
                        double slope[TULLE_MESH_MOST_NODES][3]);

#endif
