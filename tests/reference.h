/* SPDX-License-Identifier: Apache-2.0 */
/* The product by definition, in long double, and the error of a computed one in units of its bound
 * (tests/README.md, "What is right"): at most 1 is right. */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include "zoo.h"

typedef struct {
    tulle_trans op;
    double alpha, beta;
    const double *x, *y0; /* y0 may hold NaN where beta is 0 */
} product;

/* The largest error of y over all entries; y in the type given. NaN counts as infinite. */
double product_error(const zoo_matrix *m, const product *p, tulle_type type, const void *y);

#endif
