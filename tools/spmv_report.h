/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle spmv and tulle spmm, for people and for programs. */
#ifndef TOOL_SPMV_REPORT_H
#define TOOL_SPMV_REPORT_H

#include "product.h"
#include "tools/common/input.h"

typedef struct tool_spmv_report {
    const char *matrix; /* as on the command line */
    tool_source source;
    tulle_device_info device;
    tulle_mat_info info;
    tool_product product;
    tool_product_result result;
    double copy_gbs; /* 0: not measured */
} tool_spmv_report;

/* Of a tool_spmv_report: all that is known, a line, or JSON. */
void tool_spmv_print(const void *report);
void tool_spmv_print_line(const void *report);
void tool_spmv_print_json(const void *report);

#endif
