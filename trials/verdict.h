/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a C is right, found out once for each C that differs in a bit: who repeats its bits, or
 * adds in the same order as who was looked at before, is not verified again. */
#ifndef TRIAL_VERDICT_H
#define TRIAL_VERDICT_H

#include "trials/making.h"

typedef struct trial_verdict {
    double units; /* of the error bound; NaN: not checked; INFINITY: the pattern is wrong */
    bool sorted;  /* the columns of each row rise */
} trial_verdict;

typedef struct trial_verdicts trial_verdicts;

trial_verdicts *trial_verdicts_create(void);
void trial_verdicts_destroy(trial_verdicts *verdicts); /* NULL is fine */

/* With `strict`, columns that do not rise are wrong. */
tulle_status trial_verdict_of(const trial_making *making, const tulle_mat *C, bool strict,
                              trial_verdict *verdict);

#endif
