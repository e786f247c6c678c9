/* SPDX-License-Identifier: Apache-2.0 */
/* Linear systems for tests of solvers: matrices on the host, and residuals in long double. */
#ifndef TESTS_SYSTEMS_H
#define TESTS_SYSTEMS_H

#include "tulle/tulle.h"

typedef struct {
    int64_t n, nnz;
    int64_t *offsets, *columns;
    double *values;
} host_system;

/* side^2 points: 4 in the middle and -1 around; convection adds to one neighbour of a row and takes
 * from the other, so that the matrix is not symmetric. shift comes to the diagonal. */
host_system system_grid(int side, double convection, double shift);

/* The same with no boundary: rows add up to 0, and constant vectors are the null space. */
host_system system_torus(int side);

void system_free(host_system *s);

/* Returns true for a method of symmetric systems. */
bool system_wants_symmetric(tulle_method method);

tulle_mat *system_mat(tulle_ctx *ctx, const host_system *s, tulle_type type);

/* Numbers in (-1, 1), the same everywhere. */
tulle_vec *system_vector(tulle_ctx *ctx, tulle_type type, int64_t n, uint64_t seed);

/* |b - A x| and |b|, in long double, for f32 with the numbers that A has then. */
typedef struct {
    double residual, b;
} system_norms;
system_norms system_check(tulle_ctx *ctx, const host_system *s, tulle_type type, const tulle_vec *b,
                          const tulle_vec *x);

#endif
