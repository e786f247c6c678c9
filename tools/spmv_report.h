/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle spmv and tulle spmm, for people and for programs. */
#ifndef TOOL_SPMV_REPORT_H
#define TOOL_SPMV_REPORT_H

#include "tools/common/explain.h"
#include "tools/common/kernel_name.h"
#include "trial.h"
#include "trials/spmv.h"

/* Summary of the command. The trial is the first member, so the trial's address is the summary's.
 */
typedef struct tool_spmv_summary {
    tool_trial trial;
    trial_spmv_options
        options; /* options; calls above 0: the product is optimised for so many calls */
    bool plan, explain;
    char spec[TOOL_KERNEL_SPEC];     /* specification of the kernel that is asked for, or "" */
    tulle_choice choice;             /* kernel that ran */
    double plan_ms;                  /* time of building the plan, in milliseconds; 0: no plan */
    tulle_optimize_report optimized; /* report of tulle_mat_optimize_with, if asked for */
    tool_explanation explanation;    /* explanation, if asked for; the summary's maker frees it */
} tool_spmv_summary;

/* Adds the fields of a tool_spmv_summary; the patterns are for a line, and for all that is known
 * (done.h). */
void tool_spmv_add(cJSON *json, const void *summary);
extern const char tool_spmv_line[], tool_spmv_text[];

#endif
