/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of trials share this, for people and for programs. */
#ifndef TOOL_TRIAL_REPORT_H
#define TOOL_TRIAL_REPORT_H

#include "trial.h"

/* A line about A in its format, where that is not CSR. */
void tool_trial_print_format(const tool_trial *trial);
/* Prints the error; result: the letter of what was computed, a small one for a vector; due: behind
 * the number that should be there, " by the others" or "". */
void tool_trial_print_error(const tool_trial *trial, char result, const char *due);
void tool_trial_print_written(const tool_trial *trial);
/* Prints the times of the first call and of others, how fast they were (fewest: the arrays that
 * the fewest bytes are), and of what the machine can. */
void tool_trial_print_times(const tool_trial *trial, const char *fewest);

/* The error, where it was checked; the file; bytes, times and speed. */
void tool_trial_add_error(cJSON *json, const tool_trial *trial);
void tool_trial_add_times(cJSON *json, const tool_trial *trial);

#endif
