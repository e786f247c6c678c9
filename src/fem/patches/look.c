/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/look.h"

#include <math.h>

#define REAL double
#define FUNCTION(type, name) static inline type name
#define CALL(name, ...) name(__VA_ARGS__)
#define UNROLL
#include "fem/elements/isoparametric.h"
/* Formulas of cells of order 2. */
#include "fem/elements/quadratic.h"

static bool has_node_twice(const int32_t *nodes, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (nodes[i] == nodes[j]) return true;
        }
    }
    return false;
}

tulle__look tulle__look_at(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes) {
    tulle__look l = {.shape = shape,
                     .dimension = tulle__cell_dimension(shape),
                     .nodes = tulle__cell_nodes(shape)};
    for (int d = 0; d < l.dimension; d++) {
        for (int i = 0; i < l.nodes; i++) l.corner[d][i] = tulle__node(mesh, nodes[i])[d];
        monomials(shape, l.corner[d], l.monomial[d]);
    }
    return l;
}

/* The largest product of coordinates of the reference cell, which bends it. */
static double bend_of(const tulle__look *l) {
    double most = 0;
    for (int d = 0; d < l->dimension; d++) {
        for (int m = 1; m < l->nodes; m++) {
            if ((m & (m - 1)) != 0) most = fmax(most, fabs(l->monomial[d][m]));
        }
    }
    return most;
}

/* Coordinates are known to a unit in their last place, and numbers of f32 to theirs: less than that
 * bends nothing. */
static bool is_affine(const tulle__look *l, tulle_type type) {
    double far = 0, column = INFINITY;
    if (tulle__is_affine(l->shape)) return true;
    for (int k = 0; k < l->dimension; k++) {
        double length = 0;
        for (int d = 0; d < l->dimension; d++) {
            length = fmax(length, fabs(l->monomial[d][1 << k]));
        }
        column = fmin(column, length);
    }
    for (int d = 0; d < l->dimension; d++) {
        for (int i = 0; i < l->nodes; i++) far = fmax(far, fabs(l->corner[d][i]));
    }
    return bend_of(l) <= fmax(0x1p-51 * far, (type == TULLE_F32 ? 0x1p-26 : 0x1p-55) * column);
}

bool tulle__is_cell_affine(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes,
                           tulle_type type) {
    const tulle__look l = tulle__look_at(mesh, shape, nodes);
    return is_affine(&l, type);
}

/* The Jacobian's determinant is positive at all points of quadrature. */
static bool is_upright(tulle__look *l) {
    for (int q = 0; q < l->nodes; q++) {
        double at[3], column[3][3];
        point(l->shape, q, at);
        jacobian(l->shape, l->dimension, l->monomial, at, column);
        const double size = measure(l->shape, l->dimension, column, 1.0);
        if (!(size > 0 && isfinite(size))) return false;
        if (tulle__is_affine(l->shape)) return true;
    }
    return true;
}

tulle__finding tulle__look_at_cell(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes,
                                   tulle_type type) {
    tulle__look l = tulle__look_at(mesh, shape, nodes);
    if (has_node_twice(nodes, l.nodes) || !is_upright(&l)) return TULLE__CELL_BAD;
    return is_affine(&l, type) ? TULLE__CELL_AFFINE : TULLE__CELL_GENERAL;
}

enum { MIDDLE = TULLE__LATTICE / 2 };

/* Coordinates of a cell, from its middle on, and the largest one as it is. */
static double place_cell(const tulle_mesh *mesh, const int32_t *nodes,
                         double x[3][TULLE__LATTICE]) {
    const double *middle = tulle__node(mesh, nodes[MIDDLE]);
    double far = 0;
    for (int l = 0; l < TULLE__LATTICE; l++) {
        for (int d = 0; d < 3; d++) {
            const double at = tulle__node(mesh, nodes[l])[d];
            x[d][l] = at - middle[d];
            far = fmax(far, fabs(at));
        }
    }
    return far;
}

/* Columns of the Jacobian in the middle. */
static void columns_of(double x[3][TULLE__LATTICE], double column[3][3]) {
    for (int k = 0; k < 3; k++) {
        const int step = tulle__lattice_nodes(k);
        for (int d = 0; d < 3; d++) column[k][d] = (x[d][MIDDLE + step] - x[d][MIDDLE - step]) / 2;
    }
}

static bool is_lattice_affine(double x[3][TULLE__LATTICE], double column[3][3], double far,
                              tulle_type type) {
    double off = 0, shortest = INFINITY;
    for (int k = 0; k < 3; k++) {
        double length = 0;
        for (int d = 0; d < 3; d++) length = fmax(length, fabs(column[k][d]));
        shortest = fmin(shortest, length);
    }
    for (int l = 0; l < TULLE__LATTICE; l++) {
        for (int d = 0; d < 3; d++) {
            double there = x[d][l];
            for (int k = 0; k < 3; k++) there -= column[k][d] * (tulle__lattice_digit(l, k) - 1);
            off = fmax(off, fabs(there));
        }
    }
    return off <= fmax(0x1p-50 * far, (type == TULLE_F32 ? 0x1p-26 : 0x1p-55) * shortest);
}

static bool is_lattice_upright(double x[3][TULLE__LATTICE]) {
    for (int d = 0; d < 3; d++) to_points(3, x[d]);
    for (int q = 0; q < TULLE__LATTICE; q++) {
        double column[3][3];
        for (int k = 0; k < 3; k++) {
            for (int d = 0; d < 3; d++) column[k][d] = point_slope(q, k, x[d]);
        }
        const double size = measure(TULLE_HEXAHEDRON27, 3, column, 1.0);
        if (!(size > 0 && isfinite(size))) return false;
    }
    return true;
}

tulle__finding tulle__look_at_lattice(const tulle_mesh *mesh, const int32_t *nodes,
                                      tulle_type type) {
    double x[3][TULLE__LATTICE], column[3][3];
    if (has_node_twice(nodes, TULLE__LATTICE)) return TULLE__CELL_BAD;
    const double far = place_cell(mesh, nodes, x);
    columns_of(x, column);
    if (is_lattice_affine(x, column, far, type)) {
        const double size = measure(TULLE_HEXAHEDRON27, 3, column, 1.0);
        return size > 0 && isfinite(size) ? TULLE__CELL_AFFINE : TULLE__CELL_BAD;
    }
    return is_lattice_upright(x) ? TULLE__CELL_GENERAL : TULLE__CELL_BAD;
}
