/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle trisolve, for people and for programs. */
#ifndef TOOL_TRISOLVE_REPORT_H
#define TOOL_TRISOLVE_REPORT_H

#include "trial.h"
#include "trials/trisolve.h"

/* Summary of the command. The trial is the first member, so the trial's address is the summary's.
 */
typedef struct tool_trisolve_summary {
    tool_trial trial;
    trial_trisolve_options options;
    tulle_trisolve_info analysis;
    int64_t not_finite; /* count of numbers of X that are Inf or NaN, where all numbers of B are
                           finite */
} tool_trisolve_summary;

/* Print a tool_trisolve_summary: with all that is known, as a line, or as JSON. */
void tool_trisolve_print(const void *summary);
void tool_trisolve_print_line(const void *summary);
void tool_trisolve_print_json(const void *summary);

#endif
