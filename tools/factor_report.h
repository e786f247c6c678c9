/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle factor, for people and for programs. */
#ifndef TOOL_FACTOR_REPORT_H
#define TOOL_FACTOR_REPORT_H

#include "factor_task.h"

/* Adds the fields of a tool_factor_summary; the patterns are for a line, and for all that is known
 * (done.h). */
void tool_factor_add(cJSON *json, const void *summary);
extern const char tool_factor_line[], tool_factor_text[];

#endif
