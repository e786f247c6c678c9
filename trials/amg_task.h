/* SPDX-License-Identifier: Apache-2.0 */
/* Tulle's own multigrid as a task (task.h), for trials/amg.c. */
#ifndef TRIAL_AMG_TASK_H
#define TRIAL_AMG_TASK_H

#include "trials/problem.h"
#include "trials/task.h"

tulle_status trial_amg_prepare(const trial_problem *problem, trial_task *task);
tulle_status trial_amg_run(void *state);
void trial_amg_finish(void *state);

#endif
