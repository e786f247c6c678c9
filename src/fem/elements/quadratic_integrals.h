/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors of one element of the second order, the same lines on every device:
 * what is the same for all nodes at a point of quadrature, and what a node makes of it. Who
 * includes this has included cell_integrals.h and quadratic.h with the same macros; REAL is double:
 * numbers are rounded once, in the end. */

/* Numbers of a point: the metric times k, and c, each times the measure; of right-hand sides,
 * fluxes and a source in their place. */
enum { POINT_NUMBERS = TULLE__CELL_METRIC + 1, LOAD_NUMBERS = 4 };

/* Coordinate d of node a of element e, from the element's first node on. */
FUNCTION(REAL, coordinate_of)(const tulle__cells *cells, int64_t e, int a, int d, REAL zero) {
    if (d >= cells->dimension) return zero;
    const int32_t *nodes = cells->nodes + e * tulle__cell_nodes(cells->shape);
    const double *at = cells->coordinates + d;
    return zero + LOAD(at + LOAD(nodes + a) * (int64_t)cells->dimension) -
           LOAD(at + LOAD(nodes) * (int64_t)cells->dimension);
}

/* The value of a field at a place, whose polynomials are given, and its derivatives: lines of the
 * lattice first, then planes. */
FUNCTION(REAL, field_at)
(int dimension, const REAL *u, REAL value[3][3], REAL slope[3][3], REAL *slopes) {
    REAL sum = 0;
    UNROLL
    for (int k = 0; k < dimension; k++) slopes[k] = 0;
    UNROLL
    for (int k = 0; k < (dimension > 2 ? 3 : 1); k++) {
        REAL there = 0, along[2] = {0, 0};
        UNROLL
        for (int j = 0; j < (dimension > 1 ? 3 : 1); j++) {
            const REAL *line = u + 3 * j + 9 * k;
            const REAL own = line[0] * value[0][0] + line[1] * value[0][1] + line[2] * value[0][2];
            const REAL by = dimension > 1 ? value[1][j] : (REAL)1;
            there += own * by;
            along[0] +=
                (line[0] * slope[0][0] + line[1] * slope[0][1] + line[2] * slope[0][2]) * by;
            if (dimension > 1) along[1] += own * slope[1][j];
        }
        const REAL by = dimension > 2 ? value[2][k] : (REAL)1;
        sum += there * by;
        slopes[0] += along[0] * by;
        if (dimension > 1) slopes[1] += along[1] * by;
        if (dimension > 2) slopes[2] += there * slope[2][k];
    }
    return sum;
}

/* Point q of an element's matrix; columns are those of the Jacobian there. */
FUNCTION(void, matrix_point)
(tulle_shape shape, const tulle__cells *cells, int64_t e, int q, REAL column[3][3],
 REAL numbers[POINT_NUMBERS]) {
    const REAL weight = CALL(gauss_weight, tulle__cell_dimension(shape), q, (REAL)1);
    const REAL size = CALL(metric, shape, 3, column, weight, numbers);
    if (cells->stiff) {
        CALL(scale_metric, shape, CALL(quantity_at, &cells->k, cells->count, e, q, (REAL)1),
             numbers);
    }
    numbers[TULLE__CELL_METRIC] = CALL(quantity_at, &cells->c, cells->count, e, q, size);
}

/* The numbers of a point as operators keep them: for derivatives that are 2 g times what they are,
 * and where the middle point stands for all, without its weight of (8/9)^3. */
FUNCTION(void, scale_point)(bool affine, REAL numbers[POINT_NUMBERS]) {
    const REAL whole = (REAL)(affine ? 1.423828125 : 1);
    UNROLL
    for (int c = 0; c < TULLE__CELL_METRIC; c++) numbers[c] *= (REAL)(5.0 / 12) * whole;
    numbers[TULLE__CELL_METRIC] *= whole;
}

/* Point q's part of a node's row comes to the sums r at points; the node's slopes are over 2 g. */
FUNCTION(void, add_row_point)
(int dimension, bool stiff, int q, const REAL numbers[POINT_NUMBERS], REAL value[3][3],
 REAL slope[3][3], REAL *r) {
    r[q] += numbers[TULLE__CELL_METRIC] * CALL(product_value, dimension, q, value);
    if (!stiff) return;
    REAL own[3];
    UNROLL
    for (int k = 0; k < dimension; k++) {
        own[k] = CALL(product_slope, dimension, q, k, value, slope);
    }
    UNROLL
    for (int i = 0; i < dimension; i++) {
        REAL flux = numbers[tulle__metric_at(i, 0)] * own[0];
        UNROLL
        for (int k = 1; k < dimension; k++) flux += numbers[tulle__metric_at(i, k)] * own[k];
        CALL(point_slope_adjoint, q, i, flux, r);
    }
}

/* A node's polynomials, for add_row_point. */
FUNCTION(void, polynomials_of_row)(int dimension, int a, REAL value[3][3], REAL slope[3][3]) {
    CALL(polynomials_of, dimension, a, value, slope);
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int q = 0; q < 3; q++) slope[d][q] *= (REAL)0.64549722436790281420; /* 1 / (2 g) */
    }
}

/* Point q of a right-hand side; u are numbers that are given, if any of them is not 0. */
FUNCTION(void, load_point)
(tulle_shape shape, const tulle__cells *cells, int64_t e, int q, REAL column[3][3], bool any,
 const REAL *u, REAL value[3][3], REAL slope[3][3], REAL load[LOAD_NUMBERS]) {
    const int dimension = tulle__cell_dimension(shape);
    REAL G[TULLE__CELL_METRIC], own[3];
    const REAL weight = CALL(gauss_weight, dimension, q, (REAL)1);
    const REAL size = CALL(metric, shape, 3, column, weight, G);
    REAL source = CALL(quantity_at, &cells->f, cells->count, e, q, size);
    UNROLL
    for (int i = 0; i < dimension; i++) load[i] = 0;
    if (any) {
        source -= CALL(field_at, dimension, u, value, slope, own) *
                  CALL(quantity_at, &cells->c, cells->count, e, q, size);
    }
    load[LOAD_NUMBERS - 1] = source;
    if (!any || !cells->stiff) return;
    const REAL k = CALL(quantity_at, &cells->k, cells->count, e, q, (REAL)1);
    UNROLL
    for (int i = 0; i < dimension; i++) {
        UNROLL
        for (int j = 0; j < dimension; j++) load[i] -= k * G[tulle__metric_at(i, j)] * own[j];
    }
}

/* The part of point q in a node's number. */
FUNCTION(REAL, load_of_point)
(int dimension, int q, const REAL load[LOAD_NUMBERS], REAL value[3][3], REAL slope[3][3]) {
    REAL sum = load[LOAD_NUMBERS - 1] * CALL(product_value, dimension, q, value);
    UNROLL
    for (int k = 0; k < dimension; k++) {
        sum += load[k] * CALL(product_slope, dimension, q, k, value, slope);
    }
    return sum;
}
