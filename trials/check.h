/* SPDX-License-Identifier: Apache-2.0 */
/* The exact result of a product, by the definition in long double. A block of many vectors is
 * checked in a few columns: the first, the last and some between, since a reference takes six times
 * the memory of a column. */
#ifndef TRIAL_CHECK_H
#define TRIAL_CHECK_H

#include "tools/common/verify.h"

typedef struct trial_check trial_check;

/* Makes the check of op(A) X; all operands are on A's place. */
tulle_status trial_check_create(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                                const tulle_vec *X, trial_check **check);

/* Finds the largest error of Y, in units of the bound. */
tulle_status trial_check_compare(tulle_ctx *ctx, const trial_check *check, const tulle_vec *Y,
                                 double *units);

/* Holds the check once more, and holds it once less; NULL is fine. */
trial_check *trial_check_retain(trial_check *check);
void trial_check_release(trial_check *check);

#endif
