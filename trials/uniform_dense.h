/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform batches of dense matrices: as many as the block has columns, of so many rows as the
 * number says. Of factors the problem's x is A and y what A becomes; of solutions x is B and y is
 * X. */
#ifndef TRIAL_UNIFORM_DENSE_H
#define TRIAL_UNIFORM_DENSE_H

#include "trials/operation.h"

enum { TRIAL_DENSE_FACTOR, TRIAL_DENSE_SOLVE };
#define TRIAL_DENSE_DETAILS                                                                        \
    { "factor", "solve" }

/* The `own` of such a problem. */
typedef struct trial_dense {
    bool symmetric; /* L L^T, else P A = L U */
    int64_t systems;
    tulle_vec *F;    /* factors for solutions, n^2 x systems; else NULL */
    tulle_vec *room; /* n x systems numbers of 32 bits, which the pivots are */
    int32_t *pivots; /* pivots in room, in the context's memory */
    /* For the check, system after system: A of factors, B of solutions. NULL: none. */
    void *host;
} trial_dense;

/* Finds the error of factors or solutions, as a trial_operation's `error`: of tulle's own (state),
 * or of a library (state NULL) that counts rows from 1, as LAPACK does. */
tulle_status trial_dense_error(const trial_problem *problem, void *state, double *units);

#endif
