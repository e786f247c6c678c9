/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle solve, for people and for programs. */
#ifndef TOOL_SOLVE_REPORT_H
#define TOOL_SOLVE_REPORT_H

#include "solve_task.h"

/* Adds the fields of a tool_solve_summary; the pattern is for all of them but the levels, which the
 * last function prints as a table. */
void tool_solve_add(cJSON *json, const void *summary);
extern const char tool_solve_text[];
void tool_solve_print_levels(const cJSON *fields, const void *summary);

/* Return the time of an iteration in milliseconds; |b - op(A) x| / |b|, which is 0 where both norms
 * are; and the value that this ratio should have, or NaN where another norm was tested. */
double tool_solve_iteration_ms(const tool_solve_summary *summary);
double tool_solve_relative(const tool_solve_summary *summary);
double tool_solve_wanted(const tool_solve_summary *summary);

/* Returns the last attempt that iterated, but for the one that counts; NULL: there is none. */
const tulle_solve_attempt *tool_solve_before(const tulle_solve_report *report);

/* Returns "|b - A x|", or the same with A^T, or with y. */
const char *tool_solve_residual(const tool_solve_summary *summary);

/* Returns true if the preconditioned norm was tested in place of that residual's. */
bool tool_solve_is_preconditioned(const tool_solve_summary *summary);

#endif
