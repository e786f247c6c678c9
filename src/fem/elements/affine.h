/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of hexahedra whose Jacobians are constant, which nobody stores: of each cell there are
 * k G, six numbers, and c det J, and an entry is these times the integrals over the reference cell.
 * Compiles as C17 and as CUDA C++. */
#ifndef TULLE_FEM_ELEMENTS_AFFINE_H
#define TULLE_FEM_ELEMENTS_AFFINE_H

#include "fem/assembly/jobs.h"
#include "fem/elements/jobs.h"

/* Numbers of a cell: k G as a metric, c det J, and one more, so that they are loaded 16 bytes at a
 * time; of these so many count. */
enum { TULLE__AFFINE_NUMBERS = 8, TULLE__AFFINE_USED = 7 };

typedef struct tulle__affine_metrics_job {
    tulle_type type;
    tulle__cells cells; /* hexahedra; k and c have at most one number each */
    void *metrics;      /* out: count * TULLE__AFFINE_NUMBERS */
} tulle__affine_metrics_job;

/* Sums over cells of these, instead of element matrices, of which rows speak as element-major. */
typedef struct tulle__affine_rows_job {
    tulle__row_sums_job rows;
    const void *metrics;
} tulle__affine_rows_job;

/* The factor of number n of a cell in entry (i, j): an integral over [-1, 1]^3 of
 * derivatives of N_i and N_j, of both orders where G_pq stands for G_qp, too; or of N_i N_j. Along
 * an axis N is (1 + s xi) / 2 with the corner's sign s, so that the integral of a product of two is
 * 2/3 or, of different signs, 1/3, of their derivatives 1/2 or -1/2, and of one's with the other s
 * / 2. */
TULLE_INLINE double tulle__affine_factor(int n, int i, int j) {
    const int I = tulle__corner_at(i), differ = I ^ tulle__corner_at(j);
    const int p = n < 3 ? 0 : n < 5 ? 1 : 2, q = n < 3 ? n : n < 5 ? n - 2 : 2;
    const bool mass = n == TULLE__CELL_METRIC;
    double factor = 1;
    for (int d = 0; d < 3; d++) {
        const bool other = differ >> d & 1;
        if (mass || (d != p && d != q)) {
            factor *= other ? 1.0 / 3 : 2.0 / 3;
        } else if (p == q) {
            factor *= other ? -0.5 : 0.5;
        }
    }
    if (mass || p == q) return factor;
    if ((differ >> p ^ differ >> q) & 1) return 0; /* both orders, of opposite signs */
    return ((I >> p ^ I >> q ^ differ >> p) & 1) ? -0.5 * factor : 0.5 * factor;
}

#endif
