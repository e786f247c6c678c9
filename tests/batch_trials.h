/* SPDX-License-Identifier: Apache-2.0 */
/* A task of a batch with its operands on the host and on a place, and what its result must be. */
#ifndef TESTS_BATCH_TRIALS_H
#define TESTS_BATCH_TRIALS_H

#include "columns.h"
#include "tulle/tulle.h"
#include "zoo.h"

typedef enum { AXPY, DOT, SPMM, KINDS } kind;

typedef struct {
    kind what;
    tulle_type type;
    double alpha, beta;
    tulle_trans op;
    zoo_matrix zoo; /* op(A); A is in CSR or in blocks */
    tulle_mat *A;
    int64_t chain; /* numbers that a dot adds one after the other, at most */
    columns x, a, y;
    placed on_x, on_a, on_y;
} trial;

/* axpy: n x k1 times k1 x k2; dot: the transposed one times n x k2; turn varies all else. */
trial trial_dense(tulle_ctx *ctx, kind what, int64_t n, int64_t k1, int64_t k2, int turn);
/* By a matrix of the zoo, in blocks of so many rows (0: in CSR). */
trial trial_sparse(tulle_ctx *ctx, int matrix, int block, int64_t k, int turn);
void trial_free(trial *t);

/* task: NULL, or its number in the batch. */
void trial_record(tulle_batch *batch, const trial *t, int *task);

/* Y on the place is what it is before a run. */
void trial_reset(tulle_ctx *ctx, const trial *t);

/* Fails unless Y on the place is right; or these numbers are and, where there is one, differ from
 * the plain call's, whose sums are in another order, by no more than both may err. */
void trial_check(tulle_ctx *ctx, const trial *t);
void trial_check_numbers(const trial *t, const columns *got, const columns *plain);

#endif
