/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle spmv and tulle spmm, for people and for programs. */
#ifndef TOOL_SPMV_REPORT_H
#define TOOL_SPMV_REPORT_H

#include "tools/common/explain.h"
#include "tools/common/kernel_name.h"
#include "trial.h"
#include "trials/spmv.h"

/* The trial comes first: a function that is given its address has the whole. */
typedef struct tool_spmv_summary {
    tool_trial trial;
    trial_spmv_options options; /* calls above 0: the product is optimised for as many */
    bool plan, explain;
    char spec[TOOL_KERNEL_SPEC];     /* the specification of the kernel that is asked for; "" */
    tulle_choice choice;             /* the kernel that ran */
    double plan_ms;                  /* that building the plan took; 0 without one */
    tulle_optimize_report optimized; /* where that was asked for */
    tool_explanation explanation;    /* where it was asked for; who made the summary frees it */
} tool_spmv_summary;

/* Of a tool_spmv_summary: all that is known, a line, or JSON. */
void tool_spmv_print(const void *summary);
void tool_spmv_print_line(const void *summary);
void tool_spmv_print_json(const void *summary);

#endif
