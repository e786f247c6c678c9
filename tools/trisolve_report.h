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

/* Adds the fields of a tool_trisolve_summary; the patterns are for a line, and for all that is
 * known (done.h). */
void tool_trisolve_add(cJSON *json, const void *summary);
extern const char tool_trisolve_line[], tool_trisolve_text[];

#endif
