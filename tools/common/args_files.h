/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the files of a command line: no file may be replaced that another option or operand reads
 * or writes. */
#ifndef TOOL_ARGS_FILES_H
#define TOOL_ARGS_FILES_H

#include "tools/common/args.h"

/* Fails with TOOL_BAD_INPUT, and says why, where an option that replaces a file names a file that
 * is also an operand, or that another option names. To be called when all options have their
 * values. */
int tool_args_check_files(const tool_command *command, int count, char *const *operand);

#endif
