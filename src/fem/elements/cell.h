/* SPDX-License-Identifier: Apache-2.0 */
/* Cells: how many nodes they have, and in which order. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_FEM_ELEMENTS_CELL_H
#define TULLE_FEM_ELEMENTS_CELL_H

#include "tulle/mesh.h"

enum {
    TULLE__CELL_NODES = 8, /* largest number of nodes, and of points of quadrature, of an element of
                              the first order */
    TULLE__LATTICE = 27,   /* largest number of nodes, and of points of quadrature, of the second
                              order (quadratic.h) */
    TULLE__TABLE_NODES = 20, /* most nodes of an element with a table (tabulated.h) */
    TULLE__CELL_METRIC = 6,  /* numbers of a symmetric 3 x 3 matrix: 00 01 02 11 12 22 */
    TULLE__CELL_PACKED = 36  /* numbers of a symmetric element matrix: its upper triangle by rows */
};

/* Shapes of cells of the first order, and of their facets. X(shape) */
#define TULLE__CELL_SHAPES(X)                                                                      \
    X(TULLE_LINE)                                                                                  \
    X(TULLE_TRIANGLE)                                                                              \
    X(TULLE_QUADRILATERAL)                                                                         \
    X(TULLE_TETRAHEDRON)                                                                           \
    X(TULLE_HEXAHEDRON)

/* Shapes of cells of the second order that are products of intervals, and of their facets. X(shape)
 */
#define TULLE__QUADRATIC_SHAPES(X)                                                                 \
    X(TULLE_LINE3)                                                                                 \
    X(TULLE_QUADRILATERAL9)                                                                        \
    X(TULLE_HEXAHEDRON27)

/* Shapes whose functions and points of quadrature are a table (see tabulated.h): the last ones of
 * TULLE_SHAPES. */
TULLE_INLINE bool tulle__is_tabulated(tulle_shape shape) {
    return shape >= TULLE_TRIANGLE6;
}

TULLE_INLINE bool tulle__is_quadratic(tulle_shape shape) {
    return shape == TULLE_LINE3 || shape == TULLE_QUADRILATERAL9 || shape == TULLE_HEXAHEDRON27;
}

TULLE_INLINE bool tulle__is_simplex(tulle_shape shape) {
    return shape == TULLE_TRIANGLE || shape == TULLE_TETRAHEDRON;
}

/* Returns true for shapes whose Jacobian is constant wherever their corners are. */
TULLE_INLINE bool tulle__is_affine(tulle_shape shape) {
    return tulle__is_simplex(shape) || shape == TULLE_LINE;
}

/* The analyzer of clang-tidy would no longer follow a function with the first case, too. */
TULLE_INLINE int tulle__cell_dimension(tulle_shape shape) {
#ifndef __clang_analyzer__
    if (shape == TULLE_TRIANGLE6 || shape == TULLE_QUADRILATERAL8) return 2;
#endif
    if (shape == TULLE_LINE || shape == TULLE_LINE3) return 1;
    const bool quadrilateral = shape == TULLE_QUADRILATERAL || shape == TULLE_QUADRILATERAL9;
    return shape == TULLE_TRIANGLE || quadrilateral ? 2 : 3;
}

/* Returns 3^dimension: number of nodes of a lattice, or distance of neighbours in that direction in
 * one. */
TULLE_INLINE int tulle__lattice_nodes(int dimension) {
    return dimension == 0 ? 1 : dimension == 1 ? 3 : dimension == 2 ? 9 : TULLE__LATTICE;
}

/* Returns the place of node l of a lattice in direction d: 0, 1 or 2. */
TULLE_INLINE int tulle__lattice_digit(int l, int d) {
    return l / tulle__lattice_nodes(d) % 3;
}

TULLE_INLINE int tulle__tabulated_nodes(tulle_shape shape) {
    if (shape == TULLE_TRIANGLE6 || shape == TULLE_PRISM) return 6;
    if (shape == TULLE_PYRAMID) return 5;
    if (shape == TULLE_TETRAHEDRON10) return 10;
    return shape == TULLE_QUADRILATERAL8 ? 8 : TULLE__TABLE_NODES;
}

/* Nodes, and also points of quadrature of shapes without a table. */
TULLE_INLINE int tulle__cell_nodes(tulle_shape shape) {
    if (tulle__is_tabulated(shape)) return tulle__tabulated_nodes(shape);
    const int dimension = tulle__cell_dimension(shape);
    if (tulle__is_quadratic(shape)) return tulle__lattice_nodes(dimension);
    return tulle__is_simplex(shape) ? dimension + 1 : 1 << dimension;
}

/* Points of quadrature: of shapes with a table those of the interval's Gauss formula, 2 along each
 * axis of order 1 and 3 of order 2. */
TULLE_INLINE int tulle__cell_points(tulle_shape shape) {
    const bool first = shape == TULLE_PRISM || shape == TULLE_PYRAMID;
    if (!tulle__is_tabulated(shape)) return tulle__cell_nodes(shape);
    return first ? 1 << 3 : tulle__lattice_nodes(tulle__cell_dimension(shape));
}

/* The first number of line k of a lattice in direction d. */
TULLE_INLINE int tulle__lattice_line(int k, int d) {
    const int step = tulle__lattice_nodes(d);
    return k / step * step * 3 + k % step;
}

/* Returns the corner of a product of intervals that is on the upper side in the directions whose
 * bits are set, and for a corner such bits: corners go round, numbers of bits go in rows. */
TULLE_INLINE int tulle__corner_at(int bits) {
    return ((bits ^ bits >> 1) & 1) | (bits & 6);
}

/* Returns the index of entry (a, b), a <= b, of a packed symmetric matrix of so many rows. */
TULLE_INLINE int tulle__packed_at(int rows, int a, int b) {
    return a * (2 * rows - a - 1) / 2 + b;
}

/* Returns the index of entry (i, j) of a metric. */
TULLE_INLINE int tulle__metric_at(int i, int j) {
    return i <= j ? tulle__packed_at(3, i, j) : tulle__packed_at(3, j, i);
}

#endif
