/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the trial of factors (trials/factor.h) on one matrix, and judges, writes and times them. */
#ifndef TOOL_FACTOR_TASK_H
#define TOOL_FACTOR_TASK_H

#include "factor_quality.h"
#include "trial.h"
#include "trials/factor.h"
#include "written.h"

/* Settings and results of the command. The trial is the first member, so the trial's address is the
 * summary's; its timing is that of computing the values again. */
typedef struct tool_factor_summary {
    tool_trial trial;
    trial_factor_options options;
    const char *output_l, *output_u; /* files for L and U; NULL: none */
    double order_ms;                 /* time of ordering, in milliseconds */
    tulle_factor_info factors;
    tulle_factor_report pivots;
    tool_entry_error error;      /* error, if the factors were checked */
    tool_factor_quality quality; /* quality, if the factors were checked */
    bool half_read;              /* true: L L^T was made of a matrix that is not symmetric */
    tool_written l, u;           /* files of L and U, if they were written */
    tool_timing solve;           /* timing of solutions with one vector; zeros: not timed */
} tool_factor_summary;

/* Members of the trial. */
tulle_status tool_factor_refuse(const tool_trial *trial);
tulle_status tool_factor_advise(const tool_trial *trial, const trial_problem *problem,
                                tulle_status status);
tulle_status tool_factor_work(tool_trial *trial, const trial_problem *problem, trial_task *task);

#endif
