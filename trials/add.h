/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha op(A) + beta op(B) by tulle_add, as one trial. */
#ifndef TRIAL_ADD_H
#define TRIAL_ADD_H

#include "trials/making.h"
#include "tulle/add.h"

/* Holds the choices of a trial (trial_given.options); the benchmark adds A and B as they are. */
typedef struct trial_add_options {
    tulle_trans op_a, op_b;
    double alpha, beta;
    tulle_add_options call;
} trial_add_options;

/* Makes B of A with its rows moved down by one, the last one to the top. */
tulle_status trial_moved_rows(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);

#endif
