/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle info, for people and for programs. */
#ifndef TOOL_INFO_REPORT_H
#define TOOL_INFO_REPORT_H

#include "advice.h"
#include "tools/common/input.h"
#include "tools/common/json.h"
#include "tools/common/terminal.h"
#include "tools/common/traffic.h"

typedef struct tool_info_report {
    const char *name; /* name of the matrix, as on the command line */
    tool_source source;
    tulle_mat_info info;
    tulle_mat_info stored; /* format and blocks of the file; `info` is of the CSR form */
    tulle_facts facts;
    paper_traffic traffic;
    tool_formats formats;
    tool_advice advice;
    char no_advice[256]; /* reason why there is no advice: the matrix is too large; "": there is */
    bool rcm;            /* true when the reverse Cuthill-McKee order P was asked for */
    int64_t rcm_bandwidth;     /* bandwidth of P A P^T */
    paper_traffic rcm_traffic; /* traffic of P A P^T */
} tool_info_report;

/* Names the symmetry of the pattern, and that of the values: "symmetric", "unsymmetric",
 * "rectangular", for values also "skew-symmetric". */
const char *tool_info_pattern(const tool_info_report *report);
const char *tool_info_values(const tool_info_report *report);

/* Adds the fields of a report; the pattern is for the facts of the matrix, and the functions below
 * print the rest. */
void tool_info_add(cJSON *json, const tool_info_report *report);
extern const char tool_info_text[];

/* Draws the lengths of the rows. */
void tool_info_print_histogram(const tulle_mat_info *info, tool_terminal terminal);

/* Print, or add to JSON, the parts of a report about bytes, formats and kernels (info_advice.c). */
void tool_info_print_advice(const cJSON *fields, const tool_info_report *report);
void tool_info_add_advice(cJSON *json, const tool_info_report *report);

#endif
