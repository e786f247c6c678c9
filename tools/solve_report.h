/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle solve, for people and for programs. */
#ifndef TOOL_SOLVE_REPORT_H
#define TOOL_SOLVE_REPORT_H

#include "solve_mesh.h"
#include "solve_task.h"

typedef struct tool_solve_summary {
    tulle_device_info device;
    tool_operand A;
    tool_solve_task task;
    tool_solve_result result;
    tool_mesh_system mesh; /* where A is one of a mesh */
    const char *plot;      /* file of the history, or NULL */
    const char *field;     /* file of x on the mesh, or NULL */
} tool_solve_summary;

/* Adds the fields of a tool_solve_summary; the pattern is for all of them but the levels, which the
 * last function prints as a table. */
void tool_solve_add(cJSON *json, const void *summary);
extern const char tool_solve_text[];
void tool_solve_print_levels(const void *summary);

/* Milliseconds of an iteration; |b - op(A) x| / |b|, 0 where both are; what the last should be,
 * or NaN where another norm was tested. */
double tool_solve_iteration_ms(const tool_solve_summary *summary);
double tool_solve_relative(const tool_solve_summary *summary);
double tool_solve_wanted(const tool_solve_summary *summary);

/* The last attempt that iterated, but for the one that counts; NULL: there is none. */
const tulle_solve_attempt *tool_solve_before(const tulle_solve_report *report);

/* "|b - A x|", or as the task has it; whether the preconditioned norm was tested instead. */
const char *tool_solve_residual(const tool_solve_summary *summary);
bool tool_solve_is_preconditioned(const tool_solve_summary *summary);

#endif
