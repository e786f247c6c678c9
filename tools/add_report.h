/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle add, for people and for programs. */
#ifndef TOOL_ADD_REPORT_H
#define TOOL_ADD_REPORT_H

#include "add_sum.h"

typedef struct tool_add_summary {
    tulle_device_info device;
    tool_add sum;
    tool_sparse_result result;
    tulle_add_report report;
    double copy_gbs; /* bandwidth of a copy on this machine, in GB/s; 0: not known */
} tool_add_summary;

/* Adds the fields of a tool_add_summary; the patterns are for a line, and for all that is known
 * (done.h). */
void tool_add_add(cJSON *json, const void *summary);
extern const char tool_add_line[], tool_add_text[];

#endif
