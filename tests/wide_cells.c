/* SPDX-License-Identifier: Apache-2.0 */
#include "wide_cells.h"

#include <math.h>

#define REAL long double
#define FUNCTION(type, name) static inline type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL
#define LOAD(p) (*(p))
#include "fem/elements/isoparametric.h"
/* The formulas come before what is made of them. */
#include "fem/elements/cell_integrals.h"

void wide_matrix(const tulle__cells *cells, int64_t e, long double K[TULLE__CELL_PACKED]) {
    cell_matrix(cells->shape, cells, e, K);
}

/* The norms of G and of its inverse are |J^-1|^2 and |J|^2 but for the determinant, which drops
 * out. */
long double wide_condition(const tulle__cells *cells, int64_t e) {
    const int nodes = tulle__cell_nodes(cells->shape), n = tulle__cell_dimension(cells->shape);
    long double X[3][TULLE__CELL_NODES], at[3], column[3][3], G[TULLE__CELL_METRIC], worst = 0;
    place_cell(cells->shape, cells, e, X);
    for (int q = 0; q < nodes; q++) {
        point(cells->shape, q, at);
        jacobian(cells->shape, 3, X, at, column);
        const long double size = metric(cells->shape, 3, column, 1, G);
        long double forth = 0, back = 0;
        for (int i = 0; i < n; i++) {
            forth += dot(3, column[i], column[i]);
            back += G[tulle__metric_at(i, i)] / size;
        }
        worst = fmaxl(worst, sqrtl(forth * back));
    }
    return worst;
}
