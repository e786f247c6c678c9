/* SPDX-License-Identifier: Apache-2.0 */
/* Factors by their definition, dense and in long double, for matrices of a few dozen rows. */
#ifndef TESTS_FACTOR_CHECK_H
#define TESTS_FACTOR_CHECK_H

#include "entries.h"
#include "tulle/factor.h"

/* What is asked for; NULL for what is left out. */
typedef struct {
    tulle_factor_options options; /* its pointers are not looked at */
    int block;
    tulle_type type;
    tulle_index index;
    const int64_t *order;      /* of block rows */
    const double *rows, *cols; /* scales */
} factor_setting;

/* A' and the pattern of its factors. */
typedef struct {
    int64_t n; /* scalar rows, whole blocks */
    int block;
    long double *a; /* [n * n] */
    bool *kept;     /* [(n / block)^2] */
} factor_dense;

factor_dense factor_dense_of(const entries *A, const factor_setting *s);
void factor_dense_free(factor_dense *d);

/* What a matrix in CSR or BSR holds. */
entries factor_entries(tulle_ctx *ctx, const tulle_mat *A);

/* The numbers of a matrix as n x n in long double; the caller frees them. */
long double *factor_whole(tulle_ctx *ctx, const tulle_mat *A, int64_t n);

/* Fails unless F has the pattern, and |A' - L U| is within its bound on it. */
void factor_check(tulle_ctx *ctx, const tulle_factor *F, const entries *A, const factor_setting *s);

/* What was solved: alpha times k right-hand sides of n numbers; B and X have row after row. */
typedef struct {
    int64_t n, k;
    double alpha;
    const double *B, *X;
} factor_solved;

/* Fails unless op(M) X - alpha B is within its bound, number by number, for the M that F is the
 * factors of. */
void factor_check_solution(tulle_ctx *ctx, const tulle_factor *F, const factor_setting *s,
                           tulle_trans op, const factor_solved *of);

/* Random entries of an n x n matrix, each place once, every diagonal entry among them and larger
 * than its row and its column; symmetric or not. */
entries factor_matrix(int64_t n, int64_t extra, bool symmetric, uint64_t seed);

/* The matrix in a context, as CSR or BSR. */
tulle_mat *factor_mat(tulle_ctx *ctx, const entries *A, const factor_setting *s);

#endif
