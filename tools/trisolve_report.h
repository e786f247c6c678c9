/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle trisolve, for people and for programs. */
#ifndef TOOL_TRISOLVE_REPORT_H
#define TOOL_TRISOLVE_REPORT_H

#include "trisolve_system.h"

typedef struct tool_trisolve_summary {
    tulle_device_info device;
    tool_operand A;
    tool_system system;
    tool_system_result result;
    double copy_gbs; /* of the machine; 0: not known */
} tool_trisolve_summary;

/* Of a tool_trisolve_summary: all that is known, a line, or JSON. */
void tool_trisolve_print(const void *summary);
void tool_trisolve_print_line(const void *summary);
void tool_trisolve_print_json(const void *summary);

#endif
