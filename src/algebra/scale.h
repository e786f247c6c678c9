/* SPDX-License-Identifier: Apache-2.0 */
/* The job of a scaling of rows and columns (tulle_mat_scale), as back ends get it. */
#ifndef TULLE_ALGEBRA_SCALE_H
#define TULLE_ALGEBRA_SCALE_H

#include "format/view.h"

/* Computes out_k := row_scale_i values_k col_scale_j for each entry k, in row i and column j. */
typedef struct tulle__scaling {
    const tulle__pattern_view *csr; /* pattern, with at least one entry */
    tulle_type type;
    /* factors; at most one of the two is NULL, which stands for ones */
    const void *row_scale, *col_scale;
    const void *values;
    void *out; /* result: nnz values; may be the array `values` */
} tulle__scaling;

#endif
