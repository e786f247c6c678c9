/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle info, for people and for programs. */
#ifndef TOOL_INFO_REPORT_H
#define TOOL_INFO_REPORT_H

#include "analysis.h"
#include "input.h"
#include "terminal.h"

typedef struct tool_info_report {
    const char *name; /* as on the command line */
    tool_source source;
    tulle_mat_info info;
    tool_analysis analysis;
} tool_info_report;

void tool_info_print(const tool_info_report *report, tool_terminal terminal);
void tool_info_print_json(const tool_info_report *report);

#endif
