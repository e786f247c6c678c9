/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle trisolve, for people and for programs. */
#ifndef TOOL_TRISOLVE_REPORT_H
#define TOOL_TRISOLVE_REPORT_H

#include "trial.h"
#include "trials/trisolve.h"

/* The trial comes first: a function that is given its address has the whole. */
typedef struct tool_trisolve_summary {
    tool_trial trial;
    trial_trisolve_options options;
    tulle_trisolve_info analysis;
    int64_t not_finite; /* numbers of X, where all of B's are finite */
} tool_trisolve_summary;

/* Of a tool_trisolve_summary: all that is known, a line, or JSON. */
void tool_trisolve_print(const void *summary);
void tool_trisolve_print_line(const void *summary);
void tool_trisolve_print_json(const void *summary);

#endif
