/* SPDX-License-Identifier: Apache-2.0 */
#include "wide_elastic.h"

#include <math.h>

#define REAL long double
#define FUNCTION(type, name) static inline type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL
#define LOAD(p) (*(p))
#include "fem/elements/isoparametric.h"
/* The formulas come before what is made of them. */
#include "fem/elements/cell_integrals.h"

/* sigma of the strain of a displacement along axis s whose gradient is g. */
static void stress_of(int dimension, long double lambda, long double mu, const long double g[3],
                      int s, long double sigma[3][3]) {
    for (int i = 0; i < dimension; i++) {
        for (int j = 0; j < dimension; j++) {
            sigma[i][j] = mu * ((i == s ? g[j] : 0) + (j == s ? g[i] : 0));
            if (i == j) sigma[i][j] += lambda * g[s];
        }
    }
}

/* The gradient of N_a: of three unknowns J^T g = slopes, by Cramer's rule. */
static void solve_gradient(int dimension, long double column[3][3], const long double slopes[3],
                           long double g[3]) {
    const long double whole =
        measure(dimension == 2 ? TULLE_QUADRILATERAL : TULLE_HEXAHEDRON, dimension, column, 1);
    for (int d = 0; d < dimension; d++) {
        long double other[3][3] = {{0}};
        for (int k = 0; k < dimension; k++) {
            for (int i = 0; i < dimension; i++) other[k][i] = i == d ? slopes[k] : column[k][i];
        }
        g[d] =
            measure(dimension == 2 ? TULLE_QUADRILATERAL : TULLE_HEXAHEDRON, dimension, other, 1) /
            whole;
    }
}

/* What point q adds: sigma of column (b, s) against the gradient of row (a, r). */
static void add_at(const tulle__body *body, int64_t e, int q, long double X[3][TULLE__CELL_NODES],
                   long double *K) {
    const tulle_shape shape = body->cells.shape;
    const int n = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape), m = nodes * n;
    long double at[3], column[3][3] = {{0}}, g[TULLE__CELL_NODES][3] = {{0}};
    point(shape, q, at);
    jacobian(shape, n, X, at, column);
    const long double size = weight(shape, measure(shape, n, column, 1.0L));
    const long double lambda = quantity_at(&body->lambda, body->cells.count, e, q, size);
    const long double mu = quantity_at(&body->mu, body->cells.count, e, q, size);
    for (int a = 0; a < nodes; a++) {
        long double slopes[3] = {0};
        for (int k = 0; k < n; k++) slopes[k] = shape_slope(shape, a, k, at);
        solve_gradient(n, column, slopes, g[a]);
    }
    for (int j = 0; j < m; j++) {
        long double sigma[3][3] = {{0}};
        stress_of(n, lambda, mu, g[j / n], j % n, sigma);
        for (int i = 0; i < m; i++) K[i * m + j] += dot(n, sigma[i % n], g[i / n]);
    }
}

void wide_elastic(const tulle__body *body, int64_t e, long double *K) {
    const tulle_shape shape = body->cells.shape;
    const int nodes = tulle__cell_nodes(shape), m = nodes * tulle__cell_dimension(shape);
    long double X[3][TULLE__CELL_NODES];
    place_cell(shape, &body->cells, e, X);
    for (int k = 0; k < m * m; k++) K[k] = 0;
    for (int q = 0; q < nodes; q++) add_at(body, e, q, X, K);
}
