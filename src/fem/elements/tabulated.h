/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of cells whose functions are a table of numbers at their points of quadrature, so that the
 * same lines do for all of them: for each point its weight, the value of each node's function, then
 * its derivatives along the axes of the reference cell, node by node. Compiles as C17 and as CUDA
 * C++. */
#ifndef TULLE_FEM_ELEMENTS_TABULATED_H
#define TULLE_FEM_ELEMENTS_TABULATED_H

#include "fem/elements/jobs.h"

/* Numbers of a point. */
TULLE_INLINE int tulle__table_step(tulle_shape shape) {
    return 1 + tulle__cell_nodes(shape) * (1 + tulle__cell_dimension(shape));
}

TULLE_INLINE int tulle__table_numbers(tulle_shape shape) {
    return tulle__cell_points(shape) * tulle__table_step(shape);
}

TULLE_INLINE const double *tulle__table_point(const tulle__cells *cells, int q) {
    return cells->table + (int64_t)q * tulle__table_step(cells->shape);
}

#endif
