/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands that compute one product, check it and time it. */
#ifndef TOOL_MULTIPLY_H
#define TOOL_MULTIPLY_H

#include <stdbool.h>

typedef struct tool_multiply_command {
    const char *name, *about; /* as in args.h */
    const char *const *examples;
    bool blocks; /* of vectors, by tulle_spmm; else vectors, by tulle_spmv */
} tool_multiply_command;

/* An exit code. */
int tool_multiply(const tool_multiply_command *kind, int argc, char **argv);

#endif
