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

void tool_factor_print(const tool_factor_summary *summary);
void tool_factor_print_json(const tool_factor_summary *summary);

#endif
