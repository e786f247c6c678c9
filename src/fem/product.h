/* SPDX-License-Identifier: Apache-2.0 */
/* y = K u for one element, K never being there: the numbers u at its corners become coefficients of
 * monomials, and what the integral makes of these goes back the same way. Who includes this has
 * included isoparametric.h with the same macros, and defined KEEP_LOOP before a loop that is not to
 * be unrolled. No include guard, on purpose.
 *
 * Where the Jacobian is constant, so is the metric G, and products of intervals need no points of
 * quadrature: with m(l) the monomial of bits l, the derivative of m(l) in direction i of l is
 * m(l - i), and the integral of m(p) m(q) is 0 unless p = q, when it is 2^dimension / 3^|p|. So
 * (K u) against m(l) is the sum over i in l of |m(l - i)|^2 (G_ii c(l) + the sum over k not in l of
 * G_ik c(l - i + k)): some 40 multiplications for a hexahedron between two passes of 24 additions,
 * instead of the 64 of its matrix, which would have to be made first. */

/* r := what the monomials of a product of intervals get, of coefficients c and the metric G for the
 * weight 1. */
FUNCTION(void, stiffness_of_monomials)
(tulle_shape shape, const REAL G[TULLE__CELL_METRIC], const REAL *c, REAL *r) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    UNROLL
    for (int l = 0; l < nodes; l++) {
        r[l] = 0;
        UNROLL
        for (int i = 0; i < dimension; i++) {
            if (!(l >> i & 1)) continue;
            const int less = l ^ 1 << i;
            REAL sum = G[tulle__metric_at(i, i)] * c[l];
            UNROLL
            for (int k = 0; k < dimension; k++) {
                if (!(l >> k & 1)) sum += G[tulle__metric_at(i, k)] * c[less | 1 << k];
            }
            r[l] += (REAL)tulle__monomial_square(dimension, less) * sum;
        }
    }
}

/* The same for a simplex, whose slopes are constant, too. */
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

/* y := K u of an element whose Jacobian is constant. */
FUNCTION(void, product_affine)
(tulle_shape shape, REAL column[3][3], REAL diffusion, REAL mass, const REAL *u, REAL *y) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    const bool simplex = tulle__is_simplex(shape);
    const REAL share = CALL(weight, shape, (REAL)(simplex ? nodes : 1));
    REAL G[TULLE__CELL_METRIC], c[TULLE__CELL_NODES], r[TULLE__CELL_NODES];
    const REAL size = mass * CALL(metric, shape, dimension, column, share, G);
    CALL(scale_metric, shape, diffusion, G);
    CALL(monomials, shape, u, c);
    if (simplex) {
        CALL(stiffness_of_slopes, shape, G, c, r);
    } else {
        CALL(stiffness_of_monomials, shape, G, c, r);
    }
    if (mass != 0 && !simplex) {
        UNROLL
        for (int l = 0; l < nodes; l++) {
            r[l] += size * (REAL)tulle__monomial_square(dimension, l) * c[l];
        }
    }
    CALL(monomials_adjoint, shape, r, y);
    if (mass == 0 || !simplex) return;
    REAL sum = u[0];
    UNROLL
    for (int a = 1; a < nodes; a++) sum += u[a];
    const REAL part = size / (REAL)(nodes * (nodes + 1));
    UNROLL
    for (int a = 0; a < nodes; a++) y[a] += part * (sum + u[a]);
}

/* What point q adds to r; X are the coefficients of each coordinate. */
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
