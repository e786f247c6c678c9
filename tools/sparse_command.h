/* SPDX-License-Identifier: Apache-2.0 */
/* A command that makes a sparse matrix of one or two: the settings that such commands share, and
 * their way from the command line to the exit code. */
#ifndef TOOL_SPARSE_COMMAND_H
#define TOOL_SPARSE_COMMAND_H

#include "done.h"
#include "sparse.h"

typedef struct tool_sparse_settings {
    tool_common common;
    int64_t repeat;
    bool transpose_a, transpose_b, check;
    int index; /* see TOOL_INDEX */
} tool_sparse_settings;

tool_sparse_settings tool_sparse_defaults(void);

/* Fills the members of the trial that the settings are about. */
void tool_sparse_set_up(const tool_sparse_settings *settings, tool_sparse *sparse);

/* Holds what a command does in its context, and what it says of it. */
typedef struct tool_sparse_command {
    tulle_status (*work)(tulle_ctx *ctx, void *user);
    tool_print_fn json, text, line;   /* the reports, of `summary`; see done.h */
    const tool_sparse *sparse;        /* the trial that `work` sets up */
    const tool_sparse_result *result; /* the result that `work` fills */
    void *user;                       /* of `work` */
    const void *summary;
} tool_sparse_command;

/* output: file for the result, or NULL. Returns the exit code. */
int tool_sparse_do(const tool_common *common, const char *output,
                   const tool_sparse_command *command);

/* True if both operands are standard input, which is one matrix. */
bool tool_sparse_both_stdin(char **operand, int count);

#endif
