/* SPDX-License-Identifier: Apache-2.0 */
/* Tulle's own multigrid as a task (task.h), for trials/amg.c. */
#ifndef TRIAL_AMG_TASK_H
#define TRIAL_AMG_TASK_H

#include "trials/problem.h"
#include "trials/task.h"

tulle_status trial_amg_prepare(const trial_problem *problem, trial_task *task);
tulle_status trial_amg_run(void *state);
void trial_amg_finish(void *state);

/* Notes what a hierarchy is like, and the phases of its setup, which took so many milliseconds;
 * *bytes: those that it holds. */
tulle_status trial_amg_describe(const tulle_linop *M, double setup_ms, int64_t *bytes,
                                trial_values *values);

#endif
