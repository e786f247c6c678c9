/* SPDX-License-Identifier: Apache-2.0 */
/* Multivectors on the host, in long double, and on a place in some layout, inside a larger array
 * whose other numbers are NaN and must stay. */
#ifndef TESTS_COLUMNS_H
#define TESTS_COLUMNS_H

#include <math.h>
#include <stdbool.h>

#include "tulle/tulle.h"

typedef struct {
    int64_t rows, cols;
    long double *at; /* by columns */
} columns;

/* Numbers of (-1, 1), as the type has them, the same for the same seed. */
columns columns_random(int64_t rows, int64_t cols, uint64_t seed, tulle_type type);
columns columns_copy(const columns *from);
void columns_free(columns *c);

/* How a multivector lies. */
typedef struct {
    tulle_layout layout;
    int64_t gap;   /* leading dimension beyond the smallest */
    int64_t shift; /* numbers of the array before the first one */
} lie;

typedef struct {
    tulle_vec *X;     /* around a part of the array */
    tulle_vec *array; /* all of it */
    lie how;
} placed;

/* On the place, with these numbers. */
placed columns_place(tulle_ctx *ctx, const columns *numbers, tulle_type type, lie how);
void placed_free(placed *p);

/* From the place; fails where a number around them has changed. */
columns placed_read(tulle_ctx *ctx, const placed *p);

/* Unit roundoff, and the smallest positive number. */
long double unit_of(tulle_type type);
long double least_of(tulle_type type);
/* n u / (1 - n u) */
long double gamma_of(long double n, tulle_type type);

/* Fails unless |got - want| <= bound; bits are compared where bound is 0, and NaN is equal. */
void assert_near(long double got, long double want, long double bound, const char *what);

#endif
