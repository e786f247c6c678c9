/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices in long double, and what their bounds are made of; everything on the host. */
#ifndef TESTS_WIDE_CELLS_H
#define TESTS_WIDE_CELLS_H

#include "fem/elements/jobs.h"

/* The upper triangle of element e's matrix. */
void wide_matrix(const tulle__cells *cells, int64_t e, long double K[TULLE__CELL_PACKED]);

/* The largest |J| |J^-1| of its Jacobian at the points of quadrature, by Frobenius' norms. */
long double wide_condition(const tulle__cells *cells, int64_t e);

#endif
