/* SPDX-License-Identifier: Apache-2.0 */
/* A command that computes once reports a line, or, where it checked or timed, all that is known. */
#ifndef TOOL_DONE_H
#define TOOL_DONE_H

#include "tools/common/report.h"

/* The report of a command that computes once. */
typedef struct tool_done {
    bool whole;              /* true when the command checked, timed or was asked why */
    tool_fields_fn add;      /* function that adds the fields */
    const char *line, *text; /* patterns for a line, and for all that is known */
} tool_done;

/* Reports as tool_report_fields does; --quiet leaves the line out. */
int tool_report_done(const tool_common *common, const tool_done *done, const void *user);

#endif
