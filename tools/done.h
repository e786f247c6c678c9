/* SPDX-License-Identifier: Apache-2.0 */
/* A command that computes once reports a line, or, where it checked or timed, all that is known. */
#ifndef TOOL_DONE_H
#define TOOL_DONE_H

#include "tools/common/report.h"
#include "tulle/context.h"

/* The three reports of a command that computes once. */
typedef struct tool_done {
    bool whole; /* true when the command checked, timed or was asked why */
    tool_print_fn json, text, line;
} tool_done;

/* Reports as tool_report does; --quiet leaves the line out. */
int tool_report_done(const tool_common *common, const tool_done *done, const void *user);

/* Says "; 1.2 ms by KERNEL on cpu, 2 threads", which ends the line; kernel: NULL: not said. */
void tool_say_done(double ms, const char *kernel, const tulle_device_info *device);

#endif
