/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors from a table (tabulated.h), the same lines on every device. Compiles
 * as C17 and as CUDA C++. No include guard, on purpose: who includes this has included
 * fem/elements/tabulated.h and fem/elements/cell_integrals.h with their names. Where the mesh has
 * fewer than three coordinates, the others are 0. */

/* G of point q of element e, and the measure; see metric. Coordinates count from the first node. */
FUNCTION(REAL, table_metric)
(const tulle__cells *cells, int64_t e, const double *table, REAL one, REAL G[TULLE__CELL_METRIC]) {
    const int nodes = tulle__cell_nodes(cells->shape);
    const int columns = tulle__cell_dimension(cells->shape);
    const double *slope = table + 1 + nodes;
    const int32_t *node = cells->nodes + e * nodes;
    const double *first = cells->coordinates + LOAD(node) * (int64_t)cells->dimension;
    REAL column[3][3] = {{0}};
    for (int a = 1; a < nodes; a++) {
        const double *own = cells->coordinates + LOAD(node + a) * (int64_t)cells->dimension;
        for (int d = 0; d < cells->dimension; d++) {
            const REAL from_first = LOAD(own + d) - LOAD(first + d);
            for (int k = 0; k < columns; k++) {
                column[k][d] += LOAD(slope + (int64_t)a * columns + k) * from_first;
            }
        }
    }
    return CALL(metric, cells->shape, 3, column, one * LOAD(table), G);
}

/* G times the derivatives of node a's function. */
FUNCTION(void, table_flux)
(int columns, const REAL G[TULLE__CELL_METRIC], const double *slope, REAL flux[3]) {
    for (int i = 0; i < columns; i++) {
        flux[i] = 0;
        for (int k = 0; k < columns; k++) {
            flux[i] += G[tulle__metric_at(i, k)] * LOAD(slope + k);
        }
    }
}

/* Adds what a point has of row a, from its diagonal on, to K[b - a]; G is k times the metric, mass
 * c times the measure. */
FUNCTION(void, table_row)
(const tulle__cells *cells, const double *table, int a, const REAL G[TULLE__CELL_METRIC], REAL mass,
 REAL *K) {
    const int nodes = tulle__cell_nodes(cells->shape);
    const int columns = tulle__cell_dimension(cells->shape);
    const double *value = table + 1, *slope = value + nodes;
    REAL flux[3];
    CALL(table_flux, columns, G, slope + (int64_t)a * columns, flux);
    const REAL own = mass * LOAD(value + a);
    for (int b = a; b < nodes; b++) {
        REAL sum = own * LOAD(value + b);
        for (int k = 0; k < columns; k++) sum += flux[k] * LOAD(slope + (int64_t)b * columns + k);
        K[b - a] += sum;
    }
}

/* k G and c times the measure of point q. */
FUNCTION(REAL, table_point)
(const tulle__cells *cells, int64_t e, int q, REAL one, REAL G[TULLE__CELL_METRIC]) {
    const REAL size = CALL(table_metric, cells, e, tulle__table_point(cells, q), one, G);
    const REAL k = cells->stiff ? CALL(quantity_at, &cells->k, cells->count, e, q, one) : 0 * one;
    CALL(scale_metric, cells->shape, k, G);
    return CALL(quantity_at, &cells->c, cells->count, e, q, size);
}

/* F: the integral of f N_i, less row i of K times what is given of u. */
FUNCTION(void, table_load)
(const tulle__cells *cells, const double *given, int64_t e, REAL one, REAL F[TULLE__TABLE_NODES]) {
    const int nodes = tulle__cell_nodes(cells->shape);
    const int points = tulle__cell_points(cells->shape);
    const int columns = tulle__cell_dimension(cells->shape);
    const int32_t *node = cells->nodes + e * nodes;
    for (int a = 0; a < nodes; a++) F[a] = 0;
    for (int q = 0; q < points; q++) {
        const double *table = tulle__table_point(cells, q), *slope = table + 1 + nodes;
        REAL G[TULLE__CELL_METRIC], u = 0, along[3] = {0, 0, 0}, flux[3];
        const REAL size = CALL(table_metric, cells, e, table, one, G);
        for (int a = 0; a < nodes; a++) {
            const REAL number = LOAD(given + LOAD(node + a));
            u += LOAD(table + 1 + a) * number;
            for (int k = 0; k < columns; k++)
                along[k] += LOAD(slope + (int64_t)a * columns + k) * number;
        }
        const REAL k =
            cells->stiff ? CALL(quantity_at, &cells->k, cells->count, e, q, one) : 0 * one;
        const REAL source = CALL(quantity_at, &cells->f, cells->count, e, q, size) -
                            u * CALL(quantity_at, &cells->c, cells->count, e, q, size);
        for (int i = 0; i < columns; i++) {
            flux[i] = 0;
            for (int j = 0; j < columns; j++) flux[i] += k * G[tulle__metric_at(i, j)] * along[j];
        }
        for (int a = 0; a < nodes; a++) {
            F[a] += source * LOAD(table + 1 + a);
            for (int i = 0; i < columns; i++)
                F[a] -= flux[i] * LOAD(slope + (int64_t)a * columns + i);
        }
    }
}
