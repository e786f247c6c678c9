/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_SOLVE_PLOT_H
#define TOOL_SOLVE_PLOT_H

#include "solve_report.h"

/* Writes the norm of each iteration as an SVG picture with a logarithmic axis. Fails with
 * TULLE_IO_ERROR. */
tulle_status tool_solve_plot(const tool_solve_summary *summary, const char *path);

#endif
