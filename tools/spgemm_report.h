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

/* Adds the fields of a tool_spgemm_summary; the patterns are for a line, and for all that is known
 * (done.h). */
void tool_spgemm_add(cJSON *json, const void *summary);
extern const char tool_spgemm_line[], tool_spgemm_text[];

#endif
