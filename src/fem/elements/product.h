/* SPDX-License-Identifier: Apache-2.0 */
/* y = K u for one element, K never being there. Who includes this has included isoparametric.h with
 * the same macros, and defined KEEP_LOOP before a loop that is not to be unrolled. No include
 * guard, on purpose.
 *
 * Where the Jacobian is constant, so is the metric G, and products of intervals need no points of
 * quadrature: with m(l) the monomial of bits l, the derivative of m(l) in direction i of l is
 * m(l - i), and the integral of m(p) m(q) is 0 unless p = q, when it is 2^dimension / 3^|p|. So
 * (K u) against m(l) is the sum over i in l of |m(l - i)|^2 (G_ii c(l) + the sum over k not in l of
 * G_ik c(l - i + k)), c being u in terms of monomials: for a hexahedron 30 multiplications and
 * additions between two passes of 24 additions, since all powers of 2 are in G and in the mass
 * (tulle__patches_job). */

/* Sums and differences of the numbers at the corners, one direction after the other: 2^dimension
 * times the coefficients of monomials. */
FUNCTION(void, differences)(tulle_shape shape, const REAL *u, REAL *c) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    UNROLL
    for (int l = 0; l < nodes; l++) c[l] = u[tulle__corner_at(l)];
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int l = 0; l < nodes; l++) {
            if (l >> d & 1) continue;
            const REAL lower = c[l], upper = c[l | 1 << d];
            c[l] = upper + lower;
            c[l | 1 << d] = upper - lower;
        }
    }
}

FUNCTION(void, differences_adjoint)(tulle_shape shape, REAL *r, REAL *y) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int l = 0; l < nodes; l++) {
            if (l >> d & 1) continue;
            const REAL even = r[l], odd = r[l | 1 << d];
            r[l] = even - odd;
            r[l | 1 << d] = even + odd;
        }
    }
    UNROLL
    for (int l = 0; l < nodes; l++) y[tulle__corner_at(l)] = r[l];
}

/* 3^-|l| for a monomial. */
FUNCTION(REAL, third)(int l, REAL one) {
    const int bits = (l & 1) + (l >> 1 & 1) + (l >> 2 & 1);
    return one * (REAL)(bits == 0 ? 1.0 : bits == 1 ? 1.0 / 3 : bits == 2 ? 1.0 / 9 : 1.0 / 27);
}

/* r := what the monomials of a product of intervals get, of coefficients c and the metric G. */
FUNCTION(void, stiffness_of_monomials)
(tulle_shape shape, const REAL G[TULLE__CELL_METRIC], const REAL *c, REAL *r) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    r[0] = 0;
    UNROLL
    for (int l = 1; l < nodes; l++) {
        const int low = l & -l, first = low >> 1; /* the lowest bit, and which one it is */
        REAL trace = G[tulle__metric_at(first, first)];
        UNROLL
        for (int i = first + 1; i < dimension; i++) {
            if (l >> i & 1) trace += G[tulle__metric_at(i, i)];
        }
        REAL sum = trace * c[l];
        UNROLL
        for (int i = 0; i < dimension; i++) {
            UNROLL
            for (int k = 0; k < dimension; k++) {
                if (!(l >> i & 1) || (l >> k & 1)) continue;
                sum += G[tulle__metric_at(i, k)] * c[l ^ 1 << i ^ 1 << k];
            }
        }
        r[l] = CALL(third, l ^ low, sum);
    }
}

/* r := stiffness of a simplex, whose slopes are constant, times c. */
FUNCTION(void, stiffness_of_slopes)
(tulle_shape shape, const REAL G[TULLE__CELL_METRIC], const REAL *c, REAL *r) {
    const int dimension = tulle__cell_dimension(shape);
    r[0] = 0;
    UNROLL
    for (int i = 0; i < dimension; i++) {
        r[i + 1] = G[tulle__metric_at(i, 0)] * c[1];
        UNROLL
        for (int k = 1; k < dimension; k++) r[i + 1] += G[tulle__metric_at(i, k)] * c[k + 1];
    }
}

FUNCTION(void, product_box)
(tulle_shape shape, const REAL G[TULLE__CELL_METRIC], REAL mass, const REAL *u, REAL *y) {
    const int nodes = tulle__cell_nodes(shape);
    REAL c[TULLE__CELL_NODES], r[TULLE__CELL_NODES];
    CALL(differences, shape, u, c);
    CALL(stiffness_of_monomials, shape, G, c, r);
    if (mass != 0) {
        UNROLL
        for (int l = 0; l < nodes; l++) r[l] += CALL(third, l, mass) * c[l];
    }
    CALL(differences_adjoint, shape, r, y);
}

FUNCTION(void, product_simplex)
(tulle_shape shape, const REAL G[TULLE__CELL_METRIC], REAL mass, const REAL *u, REAL *y) {
    const int nodes = tulle__cell_nodes(shape);
    REAL c[TULLE__CELL_NODES], r[TULLE__CELL_NODES];
    CALL(monomials, shape, u, c);
    CALL(stiffness_of_slopes, shape, G, c, r);
    CALL(monomials_adjoint, shape, r, y);
    if (mass == 0) return;
    REAL sum = u[0];
    UNROLL
    for (int a = 1; a < nodes; a++) sum += u[a];
    UNROLL
    for (int a = 0; a < nodes; a++) y[a] += mass * (sum + u[a]);
}

/* y := K u of an element whose Jacobian is constant, by the numbers that are kept of it
 * (tulle__patches_job). */
FUNCTION(void, product_affine)
(tulle_shape shape, const REAL G[TULLE__CELL_METRIC], REAL mass, const REAL *u, REAL *y) {
    if (tulle__is_simplex(shape)) {
        CALL(product_simplex, shape, G, mass, u, y);
    } else {
        CALL(product_box, shape, G, mass, u, y);
    }
}

/* Adds the part of point q to r; X are the coefficients of each coordinate. */
FUNCTION(void, add_point)
(tulle_shape shape, int q, REAL X[3][TULLE__CELL_NODES], REAL diffusion, REAL mass, const REAL *c,
 REAL *r) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    REAL at[3], column[3][3], G[TULLE__CELL_METRIC], slope[3];
    CALL(point, shape, q, at);
    CALL(jacobian, shape, dimension, X, at, column);
    const REAL size = CALL(metric, shape, dimension, column, CALL(weight, shape, (REAL)1), G);
    UNROLL
    for (int k = 0; k < dimension; k++) {
        slope[k] = diffusion * CALL(field_slope, shape, c, k, at);
    }
    UNROLL
    for (int i = 0; i < dimension; i++) {
        REAL flux = G[tulle__metric_at(i, 0)] * slope[0];
        UNROLL
        for (int k = 1; k < dimension; k++) flux += G[tulle__metric_at(i, k)] * slope[k];
        CALL(field_slope_adjoint, shape, r, i, at, flux);
    }
    if (mass == 0) return;
    const REAL number = mass * size * CALL(field_value, shape, c, at);
    UNROLL
    for (int l = 0; l < nodes; l++) {
        REAL monomial = number;
        UNROLL
        for (int d = 0; d < dimension; d++) {
            if (l >> d & 1) monomial *= at[d];
        }
        r[l] += monomial;
    }
}

/* y := K u of a product of intervals, by its points of quadrature; x are coordinates of corners. */
FUNCTION(void, product_general)
(tulle_shape shape, REAL x[3][TULLE__CELL_NODES], REAL diffusion, REAL mass, const REAL *u,
 REAL *y) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    REAL X[3][TULLE__CELL_NODES], c[TULLE__CELL_NODES], r[TULLE__CELL_NODES];
    UNROLL
    for (int d = 0; d < dimension; d++) CALL(monomials, shape, x[d], X[d]);
    CALL(monomials, shape, u, c);
    UNROLL
    for (int l = 0; l < nodes; l++) r[l] = 0;
    KEEP_LOOP
    for (int q = 0; q < nodes; q++) CALL(add_point, shape, q, X, diffusion, mass, c, r);
    CALL(monomials_adjoint, shape, r, y);
}
