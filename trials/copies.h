/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a problem's matrix that share a pattern, with values of their own, and a batch of tasks
 * on them: as many as the problem's block has vectors. */
#ifndef TRIAL_COPIES_H
#define TRIAL_COPIES_H

#include "trials/batch.h"
#include "trials/operation.h"

typedef struct trial_copies {
    const trial_problem *problem;
    int64_t count;
    tulle_mat **A; /* [count] */
    tulle_batch *batch;
} trial_copies;

/* Makes the copies and the batch, which has no tasks. To be closed, also after a failure. */
tulle_status trial_copies_open(const trial_problem *problem, trial_copies *copies);
void trial_copies_close(trial_copies *copies);

/* Runs the batch as the problem's detail says. */
tulle_status trial_copies_run(const trial_copies *copies);

/* Returns the index of the i-th of the three copies that are checked: the first, the middle and the
 * last. */
int64_t trial_copies_sample(int64_t count, int i);

#endif
