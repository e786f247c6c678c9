/* SPDX-License-Identifier: Apache-2.0 */
/* Small matrices and vectors for tests of functions that look at entries one by one. */
#ifndef TESTS_SMALL_MATRICES_H
#define TESTS_SMALL_MATRICES_H

#include "entries.h"

/* A case: a matrix on the host and in a context. */
typedef struct small_matrix {
    entries e; /* by rows, in the order in which A has them */
    tulle_mat *A;
    tulle_index index;
    tulle_type type;
} small_matrix;

/* Calls the test with random matrices of all shapes: empty ones, ones with empty rows, long rows
 * and columns; each index and value type; columns that ascend and columns in any order, some of
 * them repeated. Values are small multiples of 1/8. */
void each_small_matrix(tulle_ctx *ctx, const char *where, uint64_t seed,
                       void (*test)(tulle_ctx *ctx, const small_matrix *m, uint64_t seed));

/* Random entries with such values: columns ascend, or stand in any order and repeat. */
entries small_entries(int64_t rows, int64_t cols, int64_t nnz, bool ascend, uint64_t seed);

/* The entries in the order of a CSR matrix. */
entries small_by_rows(const entries *e);

/* A vector of a context with these numbers, and the numbers of a vector in a new array. */
tulle_vec *small_vector(tulle_ctx *ctx, const double *numbers, int64_t n, tulle_type type);
double *small_vector_read(tulle_ctx *ctx, const tulle_vec *x, int64_t n, tulle_type type);

/* Fails unless both have the same bits, any NaN being like any other. */
void assert_same_number(double got, double want);

#endif
