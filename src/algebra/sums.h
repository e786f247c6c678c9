/* SPDX-License-Identifier: Apache-2.0 */
/* The job of sums of the rows of a matrix (tulle_mat_sums), as back ends get it. */
#ifndef TULLE_ALGEBRA_SUMS_H
#define TULLE_ALGEBRA_SUMS_H

#include <math.h>

#include "format/view.h"
#include "tulle/algebra.h"

/* Computes a number for each row. */
typedef struct tulle__summing {
    const tulle__pattern_view *csr; /* pattern, with at least one row */
    tulle_type type;
    const void *values;
    tulle_sum_kind kind;
    void *y; /* result: one number of the type for each row */
} tulle__summing;

/* Returns the larger of two sizes, or NaN where one of them is NaN. */
TULLE_INLINE double tulle__larger_size(double a, double b) {
    return a > b || a != a ? a : b;
}

/* Combines two results, each for some entries of a row. */
TULLE_INLINE double tulle__sum_join(tulle_sum_kind kind, double a, double b) {
    return kind == TULLE_SUM_LARGEST ? tulle__larger_size(a, b) : a + b;
}

/* Adds one entry to the result for other entries. */
TULLE_INLINE double tulle__sum_add(tulle_sum_kind kind, double sum, double entry) {
    return tulle__sum_join(kind, sum, kind == TULLE_SUM_VALUES ? entry : fabs(entry));
}

#endif
