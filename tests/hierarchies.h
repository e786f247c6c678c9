/* SPDX-License-Identifier: Apache-2.0 */
/* Hierarchies of multigrid on the host, and systems for them. */
#ifndef TESTS_HIERARCHIES_H
#define TESTS_HIERARCHIES_H

#include "systems.h"

/* The families of multigrid, and a loop over them. */
#define EACH_FAMILY(family)                                                                        \
    for (tulle_amg_family family = TULLE_AMG_CLASSICAL; family <= TULLE_AMG_SMOOTHED; family++)

/* A matrix of a hierarchy on the host, with numbers in f64. */
typedef struct {
    int64_t rows, cols, nnz;
    int64_t *offsets, *columns;
    double *values;
} host_mat;

host_mat read_mat(tulle_ctx *ctx, const tulle_mat *A);
void free_mat(host_mat *h);

/* A number of a small matrix. */
double number_at(const host_mat *h, int64_t i, int64_t j);

/* Asserts that two matrices have the same bits, where B is 2^power times A. */
void assert_same_mats(tulle_ctx *ctx, const tulle_mat *A, int power, tulle_ctx *other,
                      const tulle_mat *B);

/* Asserts that two hierarchies are the same, where A of the second is 2^power times the first. */
void assert_same(tulle_ctx *ctx, const tulle_linop *M, int power, tulle_ctx *other_ctx,
                 const tulle_linop *other);

/* Asserts that coarse matrices are P^T A P, by products in long double, and R is P^T; no level may
 * be passed. */
void assert_products(tulle_ctx *ctx, const tulle_linop *M);

/* Diffusion with a coefficient in each point, from e^-3 to e^3 times that of its neighbour, between
 * boundaries where the solution is 0. */
host_system rough_grid(int side);

/* Makes a system of rows that are given one by one. */
host_system system_of(int64_t n, double (*entry)(int64_t i, int64_t j));

#endif
