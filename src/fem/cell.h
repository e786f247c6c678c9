/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of the first order: how many corners they have, and in which order. Compiles as C17 and as
 * CUDA C++. */
#ifndef TULLE_FEM_CELL_H
#define TULLE_FEM_CELL_H

#include "tulle/mesh.h"

enum {
    TULLE__CELL_NODES = 8,  /* of an element, and its points of quadrature, at most */
    TULLE__CELL_METRIC = 6, /* numbers of a symmetric 3 x 3 matrix: 00 01 02 11 12 22 */
    TULLE__CELL_PACKED = 36 /* numbers of a symmetric element matrix: its upper triangle by rows */
};

/* Shapes of cells, and of their facets. X(shape) */
#define TULLE__CELL_SHAPES(X)                                                                      \
    X(TULLE_LINE)                                                                                  \
    X(TULLE_TRIANGLE)                                                                              \
    X(TULLE_QUADRILATERAL)                                                                         \
    X(TULLE_TETRAHEDRON)                                                                           \
    X(TULLE_HEXAHEDRON)

TULLE_INLINE bool tulle__is_simplex(tulle_shape shape) {
    return shape == TULLE_TRIANGLE || shape == TULLE_TETRAHEDRON;
}

/* Whether the Jacobian of the map is the same everywhere, whatever the corners are. */
TULLE_INLINE bool tulle__is_affine(tulle_shape shape) {
    return tulle__is_simplex(shape) || shape == TULLE_LINE;
}

TULLE_INLINE int tulle__cell_dimension(tulle_shape shape) {
    if (shape == TULLE_LINE) return 1;
    return shape == TULLE_TRIANGLE || shape == TULLE_QUADRILATERAL ? 2 : 3;
}

/* Corners, and also points of quadrature. */
TULLE_INLINE int tulle__cell_nodes(tulle_shape shape) {
    const int dimension = tulle__cell_dimension(shape);
    return tulle__is_simplex(shape) ? dimension + 1 : 1 << dimension;
}

/* Which corner of a product of intervals is on the upper side in the directions whose bits are set;
 * and the other way round: corners go round, numbers of bits go in rows. */
TULLE_INLINE int tulle__corner_at(int bits) {
    return ((bits ^ bits >> 1) & 1) | (bits & 6);
}

/* Where entry (a, b), a <= b, of a symmetric matrix of so many rows stands. */
TULLE_INLINE int tulle__packed_at(int rows, int a, int b) {
    return a * (2 * rows - a - 1) / 2 + b;
}

/* And entry (i, j) of a metric. */
TULLE_INLINE int tulle__metric_at(int i, int j) {
    return i <= j ? tulle__packed_at(3, i, j) : tulle__packed_at(3, j, i);
}

#endif
