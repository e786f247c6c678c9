/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors of one element, the same lines on every device. Compiles as C17 and
 * as CUDA C++. No include guard, on purpose: who includes this has included fem/cell_jobs.h and
 * fem/isoparametric.h with their names, of which it takes REAL, FUNCTION, CALL and UNROLL, and has
 * defined LOAD(p). A shape is an argument that the compiler knows; where the mesh has fewer than
 * three coordinates, the others are 0. */

/* Coefficients of the coordinates of element e. Corners count from the first one, so that nothing
 * is lost where REAL is narrower than they are. */
FUNCTION(void, place_cell)
(tulle_shape shape, const tulle__cells *cells, int64_t e, REAL X[3][TULLE__CELL_NODES]) {
    const int nodes = tulle__cell_nodes(shape);
    const double *corner[TULLE__CELL_NODES] = {0};
    UNROLL
    for (int a = 0; a < nodes; a++) {
        corner[a] =
            cells->coordinates + LOAD(cells->nodes + e * nodes + a) * (int64_t)cells->dimension;
    }
    UNROLL
    for (int d = 0; d < 3; d++) {
        REAL from_first[TULLE__CELL_NODES] = {0};
        const double first = d < cells->dimension ? LOAD(corner[0] + d) : 0;
        UNROLL
        for (int a = 0; a < nodes; a++) {
            from_first[a] = (REAL)(d < cells->dimension ? LOAD(corner[a] + d) - first : 0);
        }
        CALL(monomials, shape, from_first, X[d]);
    }
}

/* A quantity at point q of element e, times a factor. */
FUNCTION(REAL, quantity_at)
(const tulle__cell_quantity *quantity, int64_t count, int64_t e, int q, REAL factor) {
    if (quantity->per == 0) return factor * (REAL)quantity->number;
    return factor * (REAL)LOAD(quantity->numbers + (quantity->per > 1 ? q * count : 0) + e);
}

/* K, its upper triangle. Where the Jacobian is the same at all points, so is all but k of what
 * they add to the part of gradients. */
FUNCTION(void, cell_matrix)
(tulle_shape shape, const tulle__cells *cells, int64_t e, REAL K[TULLE__CELL_PACKED]) {
    const int nodes = tulle__cell_nodes(shape), points = nodes;
    const bool affine = tulle__is_affine(shape), massive = !tulle__is_nothing(&cells->c);
    REAL X[3][TULLE__CELL_NODES], at[3], column[3][3], G[TULLE__CELL_METRIC], size = 0, k = 0;
    CALL(place_cell, shape, cells, e, X);
    UNROLL
    for (int cell = 0; cell < nodes * (nodes + 1) / 2; cell++) K[cell] = 0;
    UNROLL
    for (int q = 0; q < points; q++) {
        CALL(point, shape, q, at);
        if (q == 0 || !affine) {
            CALL(jacobian, shape, 3, X, at, column);
            size = CALL(metric, shape, 3, column, CALL(weight, shape, (REAL)1), G);
        }
        if (massive) {
            CALL(add_mass, shape, at, CALL(quantity_at, &cells->c, cells->count, e, q, size), K);
        }
        if (!cells->stiff) continue;
        k = CALL(quantity_at, &cells->k, cells->count, e, q, (REAL)1) + (affine ? k : 0);
        if (affine && q + 1 < points) continue;
        CALL(scale_metric, shape, k, G);
        CALL(add_stiffness, shape, at, G, K);
    }
}

/* What point q has of row i for a field with coefficients u: k grad u . grad N_i comes to the
 * monomials' sums r. */
FUNCTION(void, add_flux)
(tulle_shape shape, const REAL at[3], const REAL G[TULLE__CELL_METRIC], REAL k, const REAL *u,
 REAL *r) {
    const int dimension = tulle__cell_dimension(shape);
    REAL slope[3];
    UNROLL
    for (int i = 0; i < dimension; i++) slope[i] = k * CALL(field_slope, shape, u, i, at);
    UNROLL
    for (int i = 0; i < dimension; i++) {
        REAL flux = 0;
        UNROLL
        for (int j = 0; j < dimension; j++) flux += G[tulle__metric_at(i, j)] * slope[j];
        CALL(field_slope_adjoint, shape, r, i, at, flux);
    }
}

/* F: the integral of f N_i, less row i of K times what is given of u. */
FUNCTION(void, cell_load)
(tulle_shape shape, const tulle__cells *cells, const double *given, int64_t e,
 REAL F[TULLE__CELL_NODES]) {
    const int nodes = tulle__cell_nodes(shape), points = nodes;
    REAL X[3][TULLE__CELL_NODES], at[3], column[3][3], G[TULLE__CELL_METRIC];
    REAL u[TULLE__CELL_NODES], c[TULLE__CELL_NODES], r[TULLE__CELL_NODES], y[TULLE__CELL_NODES];
    bool any = false;
    CALL(place_cell, shape, cells, e, X);
    UNROLL
    for (int a = 0; a < nodes; a++) {
        u[a] = (REAL)LOAD(given + LOAD(cells->nodes + e * nodes + a));
        any = any || u[a] != 0;
        F[a] = r[a] = 0;
    }
    CALL(monomials, shape, u, c);
    UNROLL
    for (int q = 0; q < points; q++) {
        CALL(point, shape, q, at);
        CALL(jacobian, shape, 3, X, at, column);
        const REAL size = CALL(metric, shape, 3, column, CALL(weight, shape, (REAL)1), G);
        REAL source = CALL(quantity_at, &cells->f, cells->count, e, q, size);
        if (any) {
            const REAL massive = CALL(quantity_at, &cells->c, cells->count, e, q, size);
            source -= massive * CALL(field_value, shape, c, at);
        }
        CALL(add_load, shape, at, source, F);
        if (!any || !cells->stiff) continue;
        const REAL k = CALL(quantity_at, &cells->k, cells->count, e, q, (REAL)1);
        CALL(add_flux, shape, at, G, k, c, r);
    }
    if (!any || !cells->stiff) return;
    CALL(monomials_adjoint, shape, r, y);
    UNROLL
    for (int a = 0; a < nodes; a++) F[a] -= y[a];
}
