/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform batches for tests: a pattern, the numbers of some systems on the host, and what their
 * solutions must be, in long double. */
#ifndef TESTS_BATCHES_H
#define TESTS_BATCHES_H

#include "columns.h"
#include "tulle/uniform.h"

/* Columns of a row stand in an order of their own. */
typedef struct {
    int n, entries;
    int32_t *offsets, *columns;
} pattern;

/* Rows of up to so many entries in places that follow from the seed. The diagonal is one of them,
 * but for rows without entries, where there are to be some: every seventh. symmetric: (j, i) is
 * there where (i, j) is. */
typedef struct {
    int most;
    bool symmetric, empty_rows;
} pattern_kind;
pattern pattern_random(int n, pattern_kind kind, uint64_t seed);
void pattern_free(pattern *p);
tulle_uniform *pattern_make(tulle_ctx *ctx, const pattern *p);

/* The entry in a place, or -1. */
int pattern_find(const pattern *p, int row, int column);

/* Numbers for so many systems: random beside the diagonal, which is larger than all others of its
 * row together, by 1 at least. symmetric: where the pattern is. */
columns batch_values(const pattern *p, int64_t count, bool symmetric, uint64_t seed,
                     tulle_type type);

/* |b - A x|, |b| and |x|, 2-norms. */
typedef struct {
    long double residual, b, x;
} batch_norms;
batch_norms batch_check(const pattern *p, const columns *values, const columns *b, const columns *x,
                        int64_t s);

/* x := A^-1 b of one system, by elimination with row exchanges; false where a pivot is 0. a is n x
 * n by columns, and spoilt. */
bool dense_solve(int n, long double *a, long double *x);

#endif
