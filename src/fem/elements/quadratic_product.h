/* SPDX-License-Identifier: Apache-2.0 */
/* y = K u for one hexahedron of order 2, K never being there: numbers at nodes become numbers at
 * points of quadrature, line by line (quadratic.h); there a metric makes fluxes of derivatives, and
 * all goes back the same way. 324 operations between nodes and points, 600 at points, instead of
 * the 1458 of a matrix, which would have to be made first or to come from memory. Who includes this
 * has included quadratic.h with the same macros. No include guard, on purpose. */

/* The part of point q, of numbers u at all points, comes to sums r; G is 5/12 the metric with the
 * point's weight: derivatives on both sides are 2 g times what they are. */
FUNCTION(void, add_lattice_point)
(int q, const REAL G[TULLE__CELL_METRIC], REAL mass, const REAL *u, REAL *r) {
    REAL slope[3];
    UNROLL
    for (int k = 0; k < 3; k++) slope[k] = CALL(point_slope, q, k, u);
    r[q] += mass * u[q];
    UNROLL
    for (int i = 0; i < 3; i++) {
        REAL flux = G[tulle__metric_at(i, 0)] * slope[0];
        UNROLL
        for (int k = 1; k < 3; k++) flux += G[tulle__metric_at(i, k)] * slope[k];
        CALL(point_slope_adjoint, q, i, flux, r);
    }
}

/* Adds the part of point q to the diagonal of K, of all nodes. */
FUNCTION(void, add_lattice_diagonal)
(int q, const REAL G[TULLE__CELL_METRIC], REAL mass, REAL *r) {
    const REAL scale = (REAL)2.4; /* (2 g)^2 */
    REAL value[3][3], slope[3][3];
    CALL(polynomials_at, 3, q, value, slope);
    UNROLL
    for (int a = 0; a < TULLE__LATTICE; a++) {
        const REAL own = CALL(product_value, 3, a, value);
        REAL gradient[3], sum = 0;
        UNROLL
        for (int k = 0; k < 3; k++) gradient[k] = CALL(product_slope, 3, a, k, value, slope);
        UNROLL
        for (int i = 0; i < 3; i++) {
            REAL flux = G[tulle__metric_at(i, 0)] * gradient[0];
            UNROLL
            for (int k = 1; k < 3; k++) flux += G[tulle__metric_at(i, k)] * gradient[k];
            sum += flux * gradient[i];
        }
        r[a] += scale * sum + mass * own * own;
    }
}
