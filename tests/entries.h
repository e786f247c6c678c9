/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix as a plain list of entries on the host, and what the library does to matrices done to
 * such a list in the most obvious way. */
#ifndef TESTS_ENTRIES_H
#define TESTS_ENTRIES_H

#include "zoo.h"

typedef struct {
    int64_t rows, cols, nnz;
    int64_t *row, *col;
    double *value;
} entries;

entries entries_of_zoo(const zoo_matrix *m);

/* Any number of random entries, repeated ones among them, in random order. */
entries entries_random(int64_t rows, int64_t cols, int64_t nnz, uint64_t seed);

/* What a matrix of any format and place holds, in its order. */
entries entries_read(tulle_ctx *ctx, const tulle_mat *A);

entries entries_copy(const entries *e);
void entries_free(entries *e);

/* Stable, by row and column. */
void entries_sort(entries *e);
void entries_transpose(entries *e);
/* Neighbours in the same place become one; added from left to right in the type. */
void entries_sum(entries *e, tulle_type type);

/* Fails unless both are the same, in the same order, bit by bit. */
void entries_assert_same(const entries *a, const entries *b, const char *what);

/* The same of what two matrices hold. */
void entries_compare(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, const char *what);

/* Fails unless A holds these entries, in this order, in this form, with statistics to match. */
void entries_check(tulle_ctx *ctx, tulle_mat *A, const entries *want, tulle_format format,
                   tulle_index index, tulle_type type, const char *what);

/* The entries as a COO matrix of a context. */
tulle_status entries_to_coo(tulle_ctx *ctx, const entries *e, tulle_index index, tulle_type type,
                            tulle_mat **A);

/* The entries as a CSR matrix of a context: by rows, and within rows in the order in which they
 * stand. */
tulle_mat *entries_to_csr(tulle_ctx *ctx, const entries *e, tulle_index index, tulle_type type);

/* Of entries that are sorted by rows: where each row begins, and the end; the caller frees it. */
int64_t *entries_begins(const entries *sorted);

/* count numbers in a new array of the element size given, each plus add; for index arrays. */
void *widths(const int64_t *from, int64_t count, int64_t size, int64_t add);
/* The same for values. */
void *values_as(const double *from, int64_t count, tulle_type type);

#endif
