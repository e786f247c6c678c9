/* SPDX-License-Identifier: Apache-2.0 */
/* Solves one system whose rows a crew shares, for tulle solve. */
#ifndef TOOL_SOLVE_SHARED_H
#define TOOL_SOLVE_SHARED_H

#include "crew.h"
#include "solve_task.h"

/* The command's settings, and room for its results. */
typedef struct tool_shared_solve {
    const tool_common *common;
    const char *name; /* matrix on the command line */
    bool repeatable;
    tool_solve_summary *summary;
} tool_shared_solve;

/* The work of a member (crew.h); user: a tool_shared_solve. */
tulle_status tool_solve_shared(const tool_member *member, void *user);

#endif
