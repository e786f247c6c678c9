/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands that compute one product, check it and time it. */
#ifndef TOOL_MULTIPLY_H
#define TOOL_MULTIPLY_H

#include <stdbool.h>

typedef struct tool_multiply_command {
    const char *name, *about; /* name and description of the command (tool_command) */
    const char *const *examples;
    bool blocks; /* true: products with multivectors, by tulle_spmm; false: by tulle_spmv */
} tool_multiply_command;

/* Runs a command that multiplies; returns an exit code. */
int tool_multiply(const tool_multiply_command *kind, int argc, char **argv);

#endif
