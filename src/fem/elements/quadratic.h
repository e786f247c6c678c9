/* SPDX-License-Identifier: Apache-2.0 */
/* Products of intervals of the second order, the same lines on every device: polynomials, Gauss
 * points, and fields between nodes and points, direction by direction. Compiles as C17, once for
 * each type, and as CUDA C++. No include guard, on purpose; who includes this has included
 * fem/elements/cell.h, and defined REAL, FUNCTION, CALL and UNROLL as isoparametric.h says.
 *
 * Nodes are a lattice: number l is l_0 + 3 l_1 + 9 l_2, and in direction d at l_d - 1. Points of
 * quadrature are three Gauss points for each interval, numbered likewise, exact to the fifth power
 * of each coordinate: -g, 0 and g, g^2 = 3/5, with the weights 5/9, 8/9 and 5/9. `dimension` is an
 * argument that the compiler knows.
 *
 * A field is taken from nodes to points by three numbers at a time, of lines of the lattice; there
 * a derivative needs the line's own three numbers alone. Derivatives are 2 g times those of the
 * reference cell, so that they are sums of one, three and four times these. Source: D. A. Kopriva,
 * "Implementing Spectral Methods for Partial Differential Equations" (2009), chapter 3. */

FUNCTION(REAL, gauss_point)(int q, REAL one) {
    return q == 1 ? 0 : (q == 0 ? -one : one) * (REAL)0.77459666924148337704;
}

/* Number i of an interval's polynomials, which is 1 at i - 1, and its derivative, at x. */
FUNCTION(REAL, interval_value)(int i, REAL x) {
    return i == 1 ? 1 - x * x : (REAL)0.5 * x * (x + (REAL)(i - 1));
}
FUNCTION(REAL, interval_slope)(int i, REAL x) {
    return i == 1 ? -2 * x : x + (REAL)0.5 * (REAL)(i - 1);
}

/* A point's share of the reference cell's volume, of the type of `one`. */
FUNCTION(REAL, gauss_weight)(int dimension, int q, REAL one) {
    UNROLL
    for (int d = 0; d < dimension; d++) {
        one *= (REAL)(tulle__lattice_digit(q, d) == 1 ? 8.0 / 9 : 5.0 / 9);
    }
    return one;
}

/* Polynomials of each direction: those of all three nodes at point q's place, or that of node a at
 * all three places. */
FUNCTION(void, polynomials_at)(int dimension, int q, REAL value[3][3], REAL slope[3][3]) {
    UNROLL
    for (int d = 0; d < dimension; d++) {
        const REAL x = CALL(gauss_point, tulle__lattice_digit(q, d), (REAL)1);
        UNROLL
        for (int i = 0; i < 3; i++) {
            value[d][i] = CALL(interval_value, i, x);
            slope[d][i] = CALL(interval_slope, i, x);
        }
    }
}
FUNCTION(void, polynomials_of)(int dimension, int a, REAL value[3][3], REAL slope[3][3]) {
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int q = 0; q < 3; q++) {
            const REAL x = CALL(gauss_point, q, (REAL)1);
            value[d][q] = CALL(interval_value, tulle__lattice_digit(a, d), x);
            slope[d][q] = CALL(interval_slope, tulle__lattice_digit(a, d), x);
        }
    }
}

/* The first returns the product of the directions' values at number l of the lattice; the second,
 * the derivative of that product in direction k. */
FUNCTION(REAL, product_value)(int dimension, int l, REAL value[3][3]) {
    REAL product = value[0][tulle__lattice_digit(l, 0)];
    UNROLL
    for (int d = 1; d < dimension; d++) product *= value[d][tulle__lattice_digit(l, d)];
    return product;
}
FUNCTION(REAL, product_slope)(int dimension, int l, int k, REAL value[3][3], REAL slope[3][3]) {
    REAL product = slope[k][tulle__lattice_digit(l, k)];
    UNROLL
    for (int d = 0; d < dimension; d++) {
        if (d != k) product *= value[d][tulle__lattice_digit(l, d)];
    }
    return product;
}

/* u: numbers at nodes become those at points. */
FUNCTION(void, to_points)(int dimension, REAL *u) {
    const REAL odd = (REAL)0.38729833462074168852; /* g / 2 */
    UNROLL
    for (int d = 0; d < dimension; d++) {
        const int step = tulle__lattice_nodes(d);
        UNROLL
        for (int k = 0; k < tulle__lattice_nodes(dimension - 1); k++) {
            const int l = tulle__lattice_line(k, d);
            const REAL low = u[l], high = u[l + 2 * step];
            const REAL even = (REAL)0.4 * u[l + step] + (REAL)0.3 * (low + high);
            u[l] = even - odd * (high - low);
            u[l + 2 * step] = even + odd * (high - low);
        }
    }
}

/* The adjoint: sums r over what stands at points become those over test functions. */
FUNCTION(void, to_points_adjoint)(int dimension, REAL *r) {
    const REAL odd = (REAL)0.38729833462074168852;
    UNROLL
    for (int d = 0; d < dimension; d++) {
        const int step = tulle__lattice_nodes(d);
        UNROLL
        for (int k = 0; k < tulle__lattice_nodes(dimension - 1); k++) {
            const int l = tulle__lattice_line(k, d);
            const REAL sum = r[l] + r[l + 2 * step], difference = r[l + 2 * step] - r[l];
            const REAL even = (REAL)0.3 * sum;
            r[l] = even - odd * difference;
            r[l + step] += (REAL)0.4 * sum;
            r[l + 2 * step] = even + odd * difference;
        }
    }
}

/* 2 g times the derivative in direction k at point q, u being numbers at points. */
FUNCTION(REAL, point_slope)(int q, int k, const REAL *u) {
    const int digit = tulle__lattice_digit(q, k), step = tulle__lattice_nodes(k);
    const int first = q - digit * step;
    const REAL low = u[first], middle = u[first + step], high = u[first + 2 * step];
    if (digit == 1) return high - low;
    return digit == 0 ? 4 * middle - high - 3 * low : 3 * high - (4 * middle - low);
}

/* The adjoint: `number` times these comes to sums r. */
FUNCTION(void, point_slope_adjoint)(int q, int k, REAL number, REAL *r) {
    const int digit = tulle__lattice_digit(q, k), step = tulle__lattice_nodes(k);
    const int first = q - digit * step;
    if (digit == 1) {
        r[first] -= number;
        r[first + 2 * step] += number;
        return;
    }
    const REAL signed_number = digit == 0 ? number : -number;
    r[first + (digit == 0 ? 0 : 2) * step] -= 3 * signed_number;
    r[first + step] += 4 * signed_number;
    r[first + (digit == 0 ? 2 : 0) * step] -= signed_number;
}
