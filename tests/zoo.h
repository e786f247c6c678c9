/* SPDX-License-Identifier: Apache-2.0 */
/* The zoo: matrices that have broken kernels before, in 64-bit CSR on the host. */
#ifndef TESTS_ZOO_H
#define TESTS_ZOO_H

#include <stdint.h>

#include "tulle/tulle.h"

typedef struct {
    const char *name;
    int64_t rows, cols, nnz;
    int64_t *offsets, *columns;
    double *values; /* exact in binary32 too */
} zoo_matrix;

/* Matrices of at most 64 rows or columns, for every case. */
int zoo_count(void);
/* Larger ones, one case a kernel. */
int zoo_large_count(void);

zoo_matrix zoo_make(int i);
zoo_matrix zoo_make_large(int i);
void zoo_free(zoo_matrix *m);

/* The matrix in a context, with the types asked for. */
tulle_mat *zoo_mat(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index, tulle_type type);

/* A deterministic stream of numbers: the next 64 bits, and the next value in (-1, 1) that is exact
 * in binary32. */
uint64_t zoo_bits(uint64_t *state);
double zoo_number(uint64_t *state);

#endif
