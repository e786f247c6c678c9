/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that make a sparse matrix of one or two: the settings that these commands share, and
 * their way from the command line to the exit code. */
#ifndef TOOL_SPARSE_COMMAND_H
#define TOOL_SPARSE_COMMAND_H

#include "done.h"
#include "sparse.h"

typedef struct tool_sparse_settings {
    tool_common common;
    int64_t repeat;
    bool transpose_a, transpose_b, check;
    int index; /* choice of --index (TOOL_INDEX) */
} tool_sparse_settings;

tool_sparse_settings tool_sparse_defaults(void);

/* Fills the members of the trial that the settings are about. */
void tool_sparse_set_up(const tool_sparse_settings *settings, tool_sparse *sparse);

/* The work of a command, and its reports. */
typedef struct tool_sparse_command {
    tulle_status (*work)(tulle_ctx *ctx, void *user);
    tool_fields_fn add;               /* function that adds the fields of `summary` */
    const char *line, *text;          /* patterns of the reports (done.h) */
    const tool_sparse *sparse;        /* trial that `work` sets up */
    const tool_sparse_result *result; /* result that `work` fills */
    void *user;                       /* argument of `work` */
    const void *summary;              /* argument of `add` */
} tool_sparse_command;

/* Runs a command; returns the exit code. output: file for the result, or NULL. */
int tool_sparse_do(const tool_common *common, const char *output,
                   const tool_sparse_command *command);

/* True if both operands are standard input, which is one matrix. */
bool tool_sparse_both_stdin(char **operand, int count);

#endif
