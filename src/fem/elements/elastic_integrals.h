/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of points of quadrature in matrices and vectors of elastic elements, the same lines on
 * every device. Compiles as C17 and as CUDA C++. No include guard, on purpose: who includes this
 * has included fem/elements/jobs.h, fem/elements/isoparametric.h and
 * fem/elements/cell_integrals.h with their names, of which it takes REAL, FUNCTION, CALL, UNROLL
 * and LOAD, and has defined KEEP_LOOP before a loop that is not to be unrolled. Shapes and
 * dimensions are arguments that the compiler knows.
 *
 * With g_a the gradient of N_a, block (a, b) of an element matrix is the integral of
 * lambda g_a g_b^T + mu (g_b g_a^T + (g_a . g_b) I): T. J. R. Hughes, "The Finite Element Method",
 * chapter 2. */

/* g_a of all corners at a place, and the measure, of a cell whose Jacobian is square. */
FUNCTION(REAL, gradients)
(tulle_shape shape, REAL X[3][TULLE__CELL_NODES], const REAL at[3],
 REAL gradient[TULLE__CELL_NODES][3]) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    REAL column[3][3], row[3][3]; /* columns of J, and rows of adj(J) */
    CALL(jacobian, shape, dimension, X, at, column);
    const REAL determinant = CALL(measure, shape, dimension, column, (REAL)1);
    if (dimension == 2) {
        row[0][0] = column[1][1];
        row[0][1] = -column[1][0];
        row[1][0] = -column[0][1];
        row[1][1] = column[0][0];
    } else {
        CALL(cross, column[1], column[2], row[0]);
        CALL(cross, column[2], column[0], row[1]);
        CALL(cross, column[0], column[1], row[2]);
    }
    UNROLL
    for (int k = 0; k < dimension; k++) {
        UNROLL
        for (int d = 0; d < dimension; d++) row[k][d] /= determinant;
    }
    UNROLL
    for (int a = 0; a < nodes; a++) {
        UNROLL
        for (int d = 0; d < dimension; d++) {
            REAL sum = CALL(shape_slope, shape, a, 0, at) * row[0][d];
            UNROLL
            for (int k = 1; k < dimension; k++) {
                sum += CALL(shape_slope, shape, a, k, at) * row[k][d];
            }
            gradient[a][d] = sum;
        }
    }
    return CALL(weight, shape, determinant);
}

/* The measure of point q of a facet. */
FUNCTION(REAL, facet_measure)
(tulle_shape shape, int dimension, REAL X[3][TULLE__CELL_NODES], const REAL at[3]) {
    REAL column[3][3];
    CALL(jacobian, shape, dimension, X, at, column);
    return CALL(measure, shape, dimension, column, CALL(weight, shape, (REAL)1));
}

/* Adds a point's part of entry (r, s) of block (a, b): lambda g_a[r] g_b[s] + mu g_a[s] g_b[r] +
 * mu delta_rs g_a . g_b, lambda and mu times the measure. */
FUNCTION(void, add_elastic)
(int dimension, REAL lambda, REAL mu, const REAL *of_a, const REAL *of_b, REAL block[3][3]) {
    const REAL both = mu * CALL(dot, dimension, of_a, of_b);
    UNROLL
    for (int r = 0; r < dimension; r++) {
        UNROLL
        for (int s = 0; s < dimension; s++) {
            block[r][s] += lambda * (of_a[r] * of_b[s]) + mu * (of_a[s] * of_b[r]);
        }
        block[r][r] += both;
    }
}

/* sigma times the measure, of displacements u. */
FUNCTION(void, stress)
(tulle_shape shape, REAL lambda, REAL mu, REAL gradient[TULLE__CELL_NODES][3],
 REAL u[TULLE__CELL_NODES][3], REAL sigma[3][3]) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    REAL slope[3][3], spread = 0; /* du_r / dx_s, and its trace */
    UNROLL
    for (int r = 0; r < dimension; r++) {
        UNROLL
        for (int s = 0; s < dimension; s++) {
            slope[r][s] = 0;
            UNROLL
            for (int a = 0; a < nodes; a++) slope[r][s] += u[a][r] * gradient[a][s];
        }
        spread += slope[r][r];
    }
    UNROLL
    for (int r = 0; r < dimension; r++) {
        UNROLL
        for (int s = 0; s < dimension; s++) sigma[r][s] = mu * (slope[r][s] + slope[s][r]);
        sigma[r][r] += lambda * spread;
    }
}

/* The displacements that are given at the nodes of element e. */
FUNCTION(void, given_displacements)
(tulle_shape shape, int dimension, const tulle__cells *cells, const double *given, int64_t e,
 REAL u[TULLE__CELL_NODES][3]) {
    const int nodes = tulle__cell_nodes(shape);
    UNROLL
    for (int a = 0; a < nodes; a++) {
        const int64_t node = LOAD(cells->nodes + e * nodes + a);
        UNROLL
        for (int d = 0; d < dimension; d++) u[a][d] = (REAL)LOAD(given + node * dimension + d);
    }
}

/* The part of point q of cell e in F: f . N_a - sigma g_a, sigma being that of displacements u. */
FUNCTION(void, add_cell_load)
(tulle_shape shape, const tulle__body *body, int64_t e, int q, REAL X[3][TULLE__CELL_NODES],
 REAL u[TULLE__CELL_NODES][3], REAL F[TULLE__CELL_NODES][3]) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    const int64_t count = body->cells.count;
    REAL at[3] = {0, 0, 0}, gradient[TULLE__CELL_NODES][3], sigma[3][3], f[3];
    CALL(point, shape, q, at);
    const REAL size = CALL(gradients, shape, X, at, gradient);
    const REAL lambda = CALL(quantity_at, &body->lambda, count, e, q, size);
    const REAL mu = CALL(quantity_at, &body->mu, count, e, q, size);
    UNROLL
    for (int d = 0; d < dimension; d++) {
        f[d] = CALL(quantity_at, &body->force[d], count, e, q, size);
    }
    CALL(stress, shape, lambda, mu, gradient, u, sigma);
    UNROLL
    for (int a = 0; a < nodes; a++) {
        const REAL value = CALL(shape_value, shape, a, at);
        UNROLL
        for (int d = 0; d < dimension; d++) {
            F[a][d] += f[d] * value - CALL(dot, dimension, sigma[d], gradient[a]);
        }
    }
}

/* The part of point q of facet e: (t - factor u) . N_a, t the traction. */
FUNCTION(void, add_facet_load)
(tulle_shape shape, int dimension, const tulle__body *body, int64_t e, int q,
 REAL X[3][TULLE__CELL_NODES], REAL u[TULLE__CELL_NODES][3], REAL F[TULLE__CELL_NODES][3]) {
    const int nodes = tulle__cell_nodes(shape);
    const int64_t count = body->cells.count;
    REAL at[3] = {0, 0, 0};
    CALL(point, shape, q, at);
    const REAL size = CALL(facet_measure, shape, dimension, X, at);
    const REAL factor = CALL(quantity_at, &body->cells.c, count, e, q, size);
    UNROLL
    for (int d = 0; d < dimension; d++) {
        REAL left = CALL(quantity_at, &body->force[d], count, e, q, size);
        UNROLL
        for (int a = 0; a < nodes; a++) {
            left -= factor * CALL(shape_value, shape, a, at) * u[a][d];
        }
        UNROLL
        for (int a = 0; a < nodes; a++) F[a][d] += left * CALL(shape_value, shape, a, at);
    }
}

/* F: integrals of f . N_a, less row a of K times what is given of u. */
FUNCTION(void, elastic_load)
(tulle_shape shape, int dimension, const tulle__body *body, const double *given, int64_t e,
 REAL F[TULLE__CELL_NODES][3]) {
    const int nodes = tulle__cell_nodes(shape), points = nodes;
    REAL X[3][TULLE__CELL_NODES] = {{0}}, u[TULLE__CELL_NODES][3];
    CALL(place_cell, shape, &body->cells, e, X);
    CALL(given_displacements, shape, dimension, &body->cells, given, e, u);
    UNROLL
    for (int a = 0; a < nodes; a++) F[a][0] = F[a][1] = F[a][2] = 0;
    KEEP_LOOP
    for (int q = 0; q < points; q++) {
        if (tulle__cell_dimension(shape) == dimension) {
            CALL(add_cell_load, shape, body, e, q, X, u, F);
        } else {
            CALL(add_facet_load, shape, dimension, body, e, q, X, u, F);
        }
    }
}
