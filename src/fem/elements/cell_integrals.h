/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors of one element, the same lines on every device. Compiles as C17 and
 * as CUDA C++. No include guard, on purpose: who includes this has included
 * fem/elements/jobs.h and fem/elements/isoparametric.h with their names, of which it takes
 * REAL, FUNCTION, CALL and UNROLL, and has defined LOAD(p). A shape is an argument that the
 * compiler knows; where the mesh has fewer than three coordinates, the others are 0. */

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

/* K of a simplex, its upper triangle. The Jacobian is the same at all points, and so is all but k
 * of what they add to the part of gradients. */
FUNCTION(void, simplex_matrix)
(tulle_shape shape, const tulle__cells *cells, int64_t e, REAL K[TULLE__CELL_PACKED]) {
    const int nodes = tulle__cell_nodes(shape), points = nodes;
    REAL X[3][TULLE__CELL_NODES], at[3], column[3][3], G[TULLE__CELL_METRIC], k = 0;
    CALL(place_cell, shape, cells, e, X);
    CALL(point, shape, 0, at);
    CALL(jacobian, shape, 3, X, at, column);
    const REAL size = CALL(metric, shape, 3, column, CALL(weight, shape, (REAL)1), G);
    UNROLL
    for (int cell = 0; cell < nodes * (nodes + 1) / 2; cell++) K[cell] = 0;
    UNROLL
    for (int q = 0; q < points; q++) {
        k += CALL(quantity_at, &cells->k, cells->count, e, q, (REAL)1);
        if (tulle__is_nothing(&cells->c)) continue;
        CALL(point, shape, q, at);
        CALL(add_mass, shape, at, CALL(quantity_at, &cells->c, cells->count, e, q, size), K);
    }
    if (!cells->stiff) return;
    CALL(scale_metric, shape, k, G);
    CALL(add_stiffness, shape, at, G, K);
}

/* For a product of intervals with two Gauss points each, a coordinate of point q is -g or g, g^2 =
 * 1/3, by a bit of q. With eta = xi / g monomial l of eta is 1 or -1 there, the sign s_l(q), and
 * the product of two monomials is s_(l xor m). The derivative of monomial l along xi_i is that of l
 * without i over g. So sums over points of signs times numbers, of which there are as many as
 * points, hold all integrals of products of monomials and of their derivatives; and the matrix in
 * monomials becomes that of corners by additions alone: N_a is the sum over l of (g^|l| / nodes)
 * s_l(a) eta^l. */

/* u_m := the sum over q of s_m(q) u_q. */
FUNCTION(void, sums_of_signs)(tulle_shape shape, REAL *u) {
    const int dimension = tulle__cell_dimension(shape), points = tulle__cell_nodes(shape);
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int q = 0; q < points; q++) {
            if (q >> d & 1) continue;
            const REAL low = u[q], high = u[q | 1 << d];
            u[q] = high + low;
            u[q | 1 << d] = high - low;
        }
    }
}

/* g^|l| g^|m| / nodes^2. */
FUNCTION(REAL, share_of_monomials)(int nodes, int l, int m, REAL one) {
    const REAL root = (REAL)0.57735026918962576451;
    REAL share = one / (REAL)(nodes * nodes);
    UNROLL
    for (int d = 0; d < 3; d++) {
        if ((l & m) >> d & 1) {
            share *= (REAL)(1.0 / 3);
        } else if ((l | m) >> d & 1) {
            share *= root;
        }
    }
    return share;
}

/* The sum over points of the derivatives of monomials l and m, multiplied by G: derivatives along
 * xi_i and xi_j have the signs of what is left of l and m. Divisions by g come to 3 in the end. */
FUNCTION(REAL, sum_of_slopes)
(tulle_shape shape, int l, int m, REAL G[TULLE__CELL_METRIC][TULLE__CELL_NODES]) {
    const int dimension = tulle__cell_dimension(shape);
    REAL sum = 0;
    UNROLL
    for (int i = 0; i < dimension; i++) {
        UNROLL
        for (int j = 0; j < dimension; j++) {
            if (!(l >> i & m >> j & 1)) continue;
            sum += G[tulle__metric_at(i, j)][(l ^ 1 << i) ^ (m ^ 1 << j)];
        }
    }
    return 3 * sum;
}

/* A symmetric matrix of monomials becomes that of corners, both by their bits: along each direction
 * four entries of two corners each become their sums and differences. */
FUNCTION(void, corners_of_monomials)(tulle_shape shape, REAL K[TULLE__CELL_PACKED]) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int l = 0; l < nodes; l++) {
            UNROLL
            for (int m = l; m < nodes; m++) {
                const int L = l | 1 << d, M = m | 1 << d;
                if (((l | m) >> d & 1) != 0) continue;
                REAL *ll = K + tulle__packed_at(nodes, l, m),
                     *LL = K + tulle__packed_at(nodes, L, M);
                REAL *lM = K + tulle__packed_at(nodes, l, M);
                REAL *Lm =
                    K + (L < m ? tulle__packed_at(nodes, L, m) : tulle__packed_at(nodes, m, L));
                const REAL even = *ll + *LL, less = *ll - *LL;
                const REAL odd = *lM + *Lm, turned = *lM - *Lm;
                *ll = even - odd;
                *LL = even + odd;
                *lM = less + turned;
                *Lm = less - turned;
            }
        }
    }
}

/* K of a product of intervals, its upper triangle. */
FUNCTION(void, product_matrix)
(tulle_shape shape, const tulle__cells *cells, int64_t e, REAL K[TULLE__CELL_PACKED]) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    const bool massive = !tulle__is_nothing(&cells->c);
    REAL X[3][TULLE__CELL_NODES], all[TULLE__CELL_METRIC][TULLE__CELL_NODES] = {{0}};
    REAL mass[TULLE__CELL_NODES] = {0}, of_bits[TULLE__CELL_PACKED];
    CALL(place_cell, shape, cells, e, X);
    UNROLL
    for (int q = 0; q < nodes; q++) {
        REAL at[3], column[3][3], G[TULLE__CELL_METRIC];
        CALL(point, shape, q, at);
        CALL(jacobian, shape, 3, X, at, column);
        const REAL size = CALL(metric, shape, 3, column, CALL(weight, shape, (REAL)1), G);
        mass[q] = massive ? CALL(quantity_at, &cells->c, cells->count, e, q, size) : 0;
        const REAL k = cells->stiff ? CALL(quantity_at, &cells->k, cells->count, e, q, (REAL)1) : 0;
        CALL(scale_metric, shape, k, G);
        UNROLL
        for (int i = 0; i < dimension; i++) {
            UNROLL
            for (int j = i; j < dimension; j++) {
                all[tulle__metric_at(i, j)][q] = G[tulle__metric_at(i, j)];
            }
        }
    }
    if (massive) CALL(sums_of_signs, shape, mass);
    UNROLL
    for (int i = 0; i < dimension; i++) {
        UNROLL
        for (int j = i; j < dimension; j++) CALL(sums_of_signs, shape, all[tulle__metric_at(i, j)]);
    }
    UNROLL
    for (int l = 0; l < nodes; l++) {
        UNROLL
        for (int m = l; m < nodes; m++) {
            const REAL sum = CALL(sum_of_slopes, shape, l, m, all) + mass[l ^ m];
            of_bits[tulle__packed_at(nodes, l, m)] =
                sum * CALL(share_of_monomials, nodes, l, m, (REAL)1);
        }
    }
    CALL(corners_of_monomials, shape, of_bits);
    UNROLL
    for (int a = 0; a < nodes; a++) {
        UNROLL
        for (int b = a; b < nodes; b++) {
            const int l = tulle__corner_at(a), m = tulle__corner_at(b);
            K[tulle__packed_at(nodes, a, b)] =
                of_bits[l < m ? tulle__packed_at(nodes, l, m) : tulle__packed_at(nodes, m, l)];
        }
    }
}

/* k G, c det J and 0 of a product of three intervals whose Jacobian is constant, for the weight 1;
 * k and c have one number. */
FUNCTION(void, affine_metric)
(tulle_shape shape, const tulle__cells *cells, int64_t e, REAL numbers[8]) {
    REAL X[3][TULLE__CELL_NODES], column[3][3], G[TULLE__CELL_METRIC];
    CALL(place_cell, shape, cells, e, X);
    UNROLL
    for (int k = 0; k < 3; k++) {
        UNROLL
        for (int d = 0; d < 3; d++) column[k][d] = X[d][1 << k];
    }
    const REAL size = CALL(metric, shape, 3, column, (REAL)1, G);
    const REAL k = CALL(quantity_at, &cells->k, cells->count, e, 0, (REAL)1);
    UNROLL
    for (int n = 0; n < TULLE__CELL_METRIC; n++) numbers[n] = k * G[n];
    numbers[6] = CALL(quantity_at, &cells->c, cells->count, e, 0, size);
    numbers[7] = 0;
}

/* K, its upper triangle. */
FUNCTION(void, cell_matrix)
(tulle_shape shape, const tulle__cells *cells, int64_t e, REAL K[TULLE__CELL_PACKED]) {
    if (tulle__is_simplex(shape)) {
        CALL(simplex_matrix, shape, cells, e, K);
    } else {
        CALL(product_matrix, shape, cells, e, K);
    }
}

/* The part of point q in row i for a field with coefficients u: k grad u . grad N_i comes to the
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
