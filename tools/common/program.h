/* SPDX-License-Identifier: Apache-2.0 */
/* A program with subcommands: `tulle` (tools/), and `tulle-lab` (lab/), which has more of them. */
#ifndef TOOL_PROGRAM_H
#define TOOL_PROGRAM_H

/* A subcommand: its result is an exit code of error.h, and its argv[0] is its own name. */
typedef struct tool_subcommand {
    const char *name, *summary; /* the summary is one line of the overview */
    int (*run)(int argc, char **argv);
} tool_subcommand;

typedef struct tool_program {
    const char *name;                   /* as users type it */
    const char *purpose;                /* a sentence of the overview */
    const char *const *examples;        /* whole command lines, then NULL */
    const tool_subcommand *subcommands; /* in the order of the overview */
    int count;                          /* number of subcommands */
} tool_program;

/* Runs the subcommand that the arguments name, or prints the overview or the version; returns the
 * program's exit code after its output was written out. */
int tool_program_run(const tool_program *program, int argc, char **argv);

/* Returns the name of the running program, for messages and help. */
const char *tool_program_name(void);

#endif
