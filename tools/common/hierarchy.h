/* SPDX-License-Identifier: Apache-2.0 */
/* Reads options of multigrid's hierarchy as people name them on the command line:
 * NAME=VALUE,... */
#ifndef TOOL_HIERARCHY_H
#define TOOL_HIERARCHY_H

#include "tulle/amg.h"

/* These are the value's name and the help text of an option that takes such options. */
#define TOOL_HIERARCHY_VALUE "OPTIONS"
#define TOOL_HIERARCHY_HELP                                                                        \
    "of --op amg and amg_nodes: family=choose|classical|plain|smoothed, degree=, passing="         \
    "choose|none|first, strength=, entries=, sum=, levels=, coarsest=, precision=choose|same, "    \
    "plans=none|keep"

typedef struct tool_hierarchy {
    const char *text; /* options as the user gave them; NULL: none were given */
    tulle_amg_options options;
} tool_hierarchy;

/* Reads hierarchy->text. Returns an exit code: TOOL_OK, or TOOL_BAD_INPUT with its message printed.
 * The library checks ranges. */
int tool_hierarchy_parse(const char *command, tool_hierarchy *hierarchy);

#endif
