/* SPDX-License-Identifier: Apache-2.0 */
/* X = Q R of a tall multivector: the problem's y starts as its x and becomes Q. Calls one after
 * another act on the Q of the one before, which takes as long: no method here has less to do. */
#ifndef TRIAL_QR_H
#define TRIAL_QR_H

#include "trials/operation.h"

/* The `own` of such a problem. */
typedef struct trial_qr {
    tulle_vec *R;   /* k x k; what stands below its diagonal counts for nothing */
    tulle_vec *top; /* the first k rows of y, where LAPACK's functions leave R */
    void *host_x;   /* for the check, columns one after another; NULL: none */
} trial_qr;

/* Checks that LAPACK's geqrf and orgqr, or functions with their arguments, can take the problem: X
 * by column, with up to 2^31 - 1 rows; else fails with TULLE_UNSUPPORTED. */
tulle_status trial_qr_check_lapack(const trial_problem *problem);

#endif
