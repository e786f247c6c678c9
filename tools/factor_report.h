/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle factor, for people and for programs. */
#ifndef TOOL_FACTOR_REPORT_H
#define TOOL_FACTOR_REPORT_H

#include "factor_task.h"

typedef struct tool_factor_summary {
    tulle_device_info device;
    tool_operand A;
    tool_factor_task task;
    tool_factor_result result;
} tool_factor_summary;

/* Print a tool_factor_summary: with all that is known, as a line, or as JSON. */
void tool_factor_print(const void *summary);
void tool_factor_print_line(const void *summary);
void tool_factor_print_json(const void *summary);

#endif
