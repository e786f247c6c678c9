/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on results C, each found once for each C that differs in a bit: a C with the bits, or
 * with the order of sums, of an earlier one is not verified again. */
#ifndef TRIAL_VERDICT_H
#define TRIAL_VERDICT_H

#include "trials/making.h"

typedef struct trial_verdict {
    double units; /* units of its bound; NaN: not checked; INFINITY: wrong pattern */
    bool sorted;  /* the columns of each row rise */
} trial_verdict;

typedef struct trial_verdicts trial_verdicts;

trial_verdicts *trial_verdicts_create(void);
void trial_verdicts_destroy(trial_verdicts *verdicts); /* NULL is fine */

/* Finds the verdict on C, by its definition unless an earlier verdict holds. strict: true where
 * columns that do not rise in a row are wrong. */
tulle_status trial_verdict_of(const trial_making *making, const tulle_mat *C, bool strict,
                              trial_verdict *verdict);

#endif
