/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_SOLVE_SKETCH_H
#define TOOL_SOLVE_SKETCH_H

#include "solve_report.h"
#include "tools/common/terminal.h"

/* Draws the norm of each iteration on standard output, in characters, with a logarithmic axis. */
void tool_solve_sketch(const tool_solve_summary *summary, tool_terminal terminal);

#endif
