/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle spgemm, for people and for programs. */
#ifndef TOOL_SPGEMM_REPORT_H
#define TOOL_SPGEMM_REPORT_H

#include "spgemm_product.h"

typedef struct tool_spgemm_summary {
    tulle_device_info device;
    tool_spgemm product;
    tool_sparse_result result;
    tulle_spgemm_report report;
} tool_spgemm_summary;

/* Print a tool_spgemm_summary: a line, all that is known, or JSON. */
void tool_spgemm_print_line(const void *summary);
void tool_spgemm_print(const void *summary);
void tool_spgemm_print_json(const void *summary);

#endif
