/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals over elements of the first order, the same lines on every device: reference cells,
 * their polynomials and Gauss points, the map x(xi) = sum of N_a(xi) x_a, and what a point of
 * quadrature adds to element matrices and vectors. Compiles as C17, once for each type, and as CUDA
 * C++. No include guard, on purpose.
 *
 * Who includes this has included math.h and fem/elements/cell.h, and defined
 *   REAL                   the type of numbers
 *   FUNCTION(type, name)   before the arguments of a function; as a template, over REAL, which is
 *                          found from an argument
 *   CALL(f, ...)           calls function f of that type
 *   UNROLL                 before a loop whose length is known with the shape
 * and, where it is CUDA, a shape is an argument that the compiler knows.
 *
 * Fields, x and u, are numbers at the corners, or coefficients of monomials that span the same
 * space (`monomials`): of simplices 1, xi, eta, zeta; of products of intervals number l is
 * xi^l0 eta^l1 zeta^l2, l_d the bits of l. Derivatives of these take 3 multiplications, not 8.
 * `at` is a place in the reference cell. Source: T. J. R. Hughes, "The Finite Element Method",
 * chapter 3. */

/* Point q: two Gauss points for each interval, exact to the third power of each coordinate; of
 * simplices the symmetric formulas that are exact to the second degree (A. H. Stroud, "Approximate
 * Calculation of Multiple Integrals", 1971). */
FUNCTION(void, point)(tulle_shape shape, int q, REAL at[3]) {
    const REAL gauss = (REAL)0.57735026918962576451;
    const REAL low = (REAL)(shape == TULLE_TRIANGLE ? 1.0 / 6 : 0.13819660112501051518);
    const REAL high = (REAL)(shape == TULLE_TRIANGLE ? 2.0 / 3 : 0.58541019662496845446);
    const int dimension = tulle__cell_dimension(shape);
    UNROLL
    for (int d = 0; d < dimension; d++) {
        if (tulle__is_simplex(shape)) {
            at[d] = q == d + 1 ? high : low;
        } else {
            at[d] = q >> d & 1 ? gauss : -gauss;
        }
    }
}

/* The weight of each point, of a type that an argument says. */
FUNCTION(REAL, weight)(tulle_shape shape, REAL factor) {
    if (shape == TULLE_TRIANGLE) return factor * (REAL)(1.0 / 6);
    return shape == TULLE_TETRAHEDRON ? factor * (REAL)(1.0 / 24) : factor;
}

/* N_a, which is 1 at corner a and 0 at the others. */
FUNCTION(REAL, shape_value)(tulle_shape shape, int a, const REAL at[3]) {
    const int dimension = tulle__cell_dimension(shape), bits = tulle__corner_at(a);
    REAL value = 1;
    UNROLL
    for (int d = 0; d < dimension; d++) {
        if (tulle__is_simplex(shape)) {
            value = a == 0 ? value - at[d] : a == d + 1 ? at[d] : value;
        } else {
            value *= (REAL)0.5 * (bits >> d & 1 ? 1 + at[d] : 1 - at[d]);
        }
    }
    return value;
}

/* Returns the derivative of N_a (shape_value) in direction k of the reference cell. */
FUNCTION(REAL, shape_slope)(tulle_shape shape, int a, int k, const REAL at[3]) {
    const int dimension = tulle__cell_dimension(shape), bits = tulle__corner_at(a);
    if (tulle__is_simplex(shape)) return (REAL)(a == 0 ? -1 : a == k + 1 ? 1 : 0);
    REAL slope = (REAL)(bits >> k & 1 ? 0.5 : -0.5);
    UNROLL
    for (int d = 0; d < dimension; d++) {
        if (d != k) slope *= (REAL)0.5 * (bits >> d & 1 ? 1 + at[d] : 1 - at[d]);
    }
    return slope;
}

/* Coefficients of a field's monomials from its numbers at the corners. */
FUNCTION(void, monomials)(tulle_shape shape, const REAL *u, REAL *c) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    if (tulle__is_simplex(shape)) {
        c[0] = u[0];
        UNROLL
        for (int a = 1; a < nodes; a++) c[a] = u[a] - u[0];
        return;
    }
    UNROLL
    for (int l = 0; l < nodes; l++) c[l] = u[tulle__corner_at(l)];
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int l = 0; l < nodes; l++) {
            if (l >> d & 1) continue;
            const REAL lower = c[l], upper = c[l | 1 << d];
            c[l] = (REAL)0.5 * (upper + lower);
            c[l | 1 << d] = (REAL)0.5 * (upper - lower);
        }
    }
}

/* The adjoint: sums r over test functions that are monomials become those of the corners'. */
FUNCTION(void, monomials_adjoint)(tulle_shape shape, REAL *r, REAL *y) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    if (tulle__is_simplex(shape)) {
        y[0] = r[0];
        UNROLL
        for (int a = 1; a < nodes; a++) {
            y[a] = r[a];
            y[0] -= r[a];
        }
        return;
    }
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int l = 0; l < nodes; l++) {
            if (l >> d & 1) continue;
            const REAL even = r[l], odd = r[l | 1 << d];
            r[l] = (REAL)0.5 * (even - odd);
            r[l | 1 << d] = (REAL)0.5 * (even + odd);
        }
    }
    UNROLL
    for (int l = 0; l < nodes; l++) y[tulle__corner_at(l)] = r[l];
}

/* The field with coefficients c, at a place. */
FUNCTION(REAL, field_value)(tulle_shape shape, const REAL *c, const REAL at[3]) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    REAL sum = c[0];
    UNROLL
    for (int l = 1; l < nodes; l++) {
        REAL monomial = tulle__is_simplex(shape) ? at[l - 1] : (REAL)1;
        UNROLL
        for (int d = 0; d < dimension; d++) {
            if (!tulle__is_simplex(shape) && (l >> d & 1)) monomial *= at[d];
        }
        sum += c[l] * monomial;
    }
    return sum;
}

/* Returns the derivative of the field (field_value) in direction k of the reference cell. */
FUNCTION(REAL, field_slope)(tulle_shape shape, const REAL *c, int k, const REAL at[3]) {
    const int dimension = tulle__cell_dimension(shape), own = 1 << k;
    if (tulle__is_simplex(shape)) return c[k + 1];
    if (dimension == 1) return c[1];
    if (dimension == 2) return c[own] + c[3] * at[1 - k];
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    return c[own] + c[own | 1 << i] * at[i] + (c[own | 1 << j] + c[7] * at[i]) * at[j];
}

/* The adjoint: `number` times the derivatives of all monomials comes to their sums r. */
FUNCTION(void, field_slope_adjoint)
(tulle_shape shape, REAL *r, int k, const REAL at[3], REAL number) {
    const int dimension = tulle__cell_dimension(shape), own = 1 << k;
    if (tulle__is_simplex(shape)) {
        r[k + 1] += number;
        return;
    }
    r[own] += number;
    if (dimension == 2) r[3] += number * at[1 - k];
    if (dimension < 3) return;
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const REAL other = number * at[j];
    r[own | 1 << i] += number * at[i];
    r[own | 1 << j] += other;
    r[7] += other * at[i];
}

/* Column k of the Jacobian is dx / dxi_k; X are the coefficients of each coordinate. */
FUNCTION(void, jacobian)
(tulle_shape shape, int dimension, REAL X[3][TULLE__CELL_NODES], const REAL at[3],
 REAL column[3][3]) {
    const int columns = tulle__cell_dimension(shape);
    UNROLL
    for (int k = 0; k < columns; k++) {
        UNROLL
        for (int d = 0; d < dimension; d++) {
            column[k][d] = CALL(field_slope, shape, X[d], k, at);
        }
    }
}

FUNCTION(void, cross)(const REAL a[3], const REAL b[3], REAL c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

FUNCTION(REAL, dot)(int dimension, const REAL *a, const REAL *b) {
    REAL sum = a[0] * b[0];
    UNROLL
    for (int d = 1; d < dimension; d++) sum += a[d] * b[d];
    return sum;
}

/* The share of a point of that weight in an integral: weight det J, det J standing for the length
 * or area where J is not square. */
FUNCTION(REAL, measure)(tulle_shape shape, int dimension, REAL column[3][3], REAL weight) {
    const int columns = tulle__cell_dimension(shape);
    REAL normal[3];
    if (columns == 1 && dimension == 1) return weight * column[0][0];
    if (columns == 1)
        return weight * (REAL)sqrt((double)CALL(dot, dimension, column[0], column[0]));
    if (dimension == 2) {
        return weight * (column[0][0] * column[1][1] - column[0][1] * column[1][0]);
    }
    CALL(cross, column[0], column[1], normal);
    if (columns == 3) return weight * CALL(dot, 3, normal, column[2]);
    return weight * (REAL)sqrt((double)CALL(dot, 3, normal, normal));
}

/* G = weight det J J^-1 J^-T, so that (grad u, grad v) det J weight = (G Du) . Dv with derivatives
 * in the reference cell; of surfaces and curves J^T J and the root of its determinant stand for
 * them. Returns the measure. */
FUNCTION(REAL, metric)
(tulle_shape shape, int dimension, REAL column[3][3], REAL weight, REAL G[TULLE__CELL_METRIC]) {
    const int columns = tulle__cell_dimension(shape);
    const REAL size = CALL(measure, shape, dimension, column, weight);
    const REAL scale = weight * weight / size;
    if (columns == 1) {
        G[0] = scale;
    } else if (columns == 2) { /* adj(J) adj(J)^T = adj(J^T J) */
        G[0] = scale * CALL(dot, dimension, column[1], column[1]);
        G[1] = -scale * CALL(dot, dimension, column[0], column[1]);
        G[3] = scale * CALL(dot, dimension, column[0], column[0]);
    } else {
        REAL row[3][3]; /* rows of adj(J) */
        CALL(cross, column[1], column[2], row[0]);
        CALL(cross, column[2], column[0], row[1]);
        CALL(cross, column[0], column[1], row[2]);
        UNROLL
        for (int i = 0; i < 3; i++) {
            UNROLL
            for (int j = i; j < 3; j++) {
                G[tulle__metric_at(i, j)] = scale * CALL(dot, 3, row[i], row[j]);
            }
        }
    }
    return size;
}

FUNCTION(void, scale_metric)(tulle_shape shape, REAL k, REAL G[TULLE__CELL_METRIC]) {
    const int dimension = tulle__cell_dimension(shape);
    UNROLL
    for (int i = 0; i < dimension; i++) {
        UNROLL
        for (int j = i; j < dimension; j++) G[tulle__metric_at(i, j)] *= k;
    }
}

/* Adds (G DN_a) . DN_b, the part of the integral of k grad N_a . grad N_b that a point has, to the
 * upper triangle of K; G is k times the metric. */
FUNCTION(void, add_stiffness)
(tulle_shape shape, const REAL at[3], const REAL G[TULLE__CELL_METRIC],
 REAL K[TULLE__CELL_PACKED]) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    UNROLL
    for (int a = 0; a < nodes; a++) {
        REAL flux[3] = {0, 0, 0};
        UNROLL
        for (int i = 0; i < dimension; i++) {
            flux[i] = G[tulle__metric_at(i, 0)] * CALL(shape_slope, shape, a, 0, at);
            UNROLL
            for (int k = 1; k < dimension; k++) {
                flux[i] += G[tulle__metric_at(i, k)] * CALL(shape_slope, shape, a, k, at);
            }
        }
        UNROLL
        for (int b = a; b < nodes; b++) {
            REAL sum = flux[0] * CALL(shape_slope, shape, b, 0, at);
            UNROLL
            for (int k = 1; k < dimension; k++) {
                sum += flux[k] * CALL(shape_slope, shape, b, k, at);
            }
            K[tulle__packed_at(nodes, a, b)] += sum;
        }
    }
}

/* Adds size N_a N_b; size is the coefficient times the measure. */
FUNCTION(void, add_mass)
(tulle_shape shape, const REAL at[3], REAL size, REAL K[TULLE__CELL_PACKED]) {
    const int nodes = tulle__cell_nodes(shape);
    UNROLL
    for (int a = 0; a < nodes; a++) {
        const REAL left = size * CALL(shape_value, shape, a, at);
        UNROLL
        for (int b = a; b < nodes; b++) {
            K[tulle__packed_at(nodes, a, b)] += left * CALL(shape_value, shape, b, at);
        }
    }
}

/* Adds size N_a; size is f times the measure. */
FUNCTION(void, add_load)
(tulle_shape shape, const REAL at[3], REAL size, REAL F[TULLE__CELL_NODES]) {
    const int nodes = tulle__cell_nodes(shape);
    UNROLL
    for (int a = 0; a < nodes; a++) F[a] += size * CALL(shape_value, shape, a, at);
}
