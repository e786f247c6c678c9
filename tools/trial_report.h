/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of trials share this, for people and for programs. */
#ifndef TOOL_TRIAL_REPORT_H
#define TOOL_TRIAL_REPORT_H

#include "trial.h"

/* Prints a line about A in its format, unless the format is CSR. */
void tool_trial_print_format(const tool_trial *trial);
/* Prints the error. result: letter of the result, a small one for a vector. due: text behind the
 * number that should be there, " by the others" or "". */
void tool_trial_print_error(const tool_trial *trial, char result, const char *due);
void tool_trial_print_written(const tool_trial *trial);
/* Prints the times of the first call and of the timed calls, their speed by the fewest bytes, and
 * its share of the machine's bandwidth. fewest: names of the arrays of the fewest bytes. */
void tool_trial_print_times(const tool_trial *trial, const char *fewest);

/* Add to JSON: the error, if it was checked, and the file; bytes, times and speed. */
void tool_trial_add_error(cJSON *json, const tool_trial *trial);
void tool_trial_add_times(cJSON *json, const tool_trial *trial);

#endif
