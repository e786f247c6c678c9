/* SPDX-License-Identifier: Apache-2.0 */
/* A scaling of rows and columns (tulle_mat_scale) as back ends are given it. */
#ifndef TULLE_ALGEBRA_SCALE_H
#define TULLE_ALGEBRA_SCALE_H

#include "format/view.h"

/* One call: out_k := row_scale_i values_k col_scale_j for each entry k, in row i and column j. */
typedef struct tulle__scaling {
    const tulle__pattern_view *csr; /* pattern, with at least one entry */
    tulle_type type;
    const void *row_scale, *col_scale; /* factors; NULL: ones, of one of both at most */
    const void *values;
    void *out; /* out: values, nnz; may be the array `values` */
} tulle__scaling;

#endif
