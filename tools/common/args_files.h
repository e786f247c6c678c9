/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a command line: what one of them is replaced by must not be lost, nor be lost to it. */
#ifndef TOOL_ARGS_FILES_H
#define TOOL_ARGS_FILES_H

#include "tools/common/args.h"

/* Fails with TOOL_BAD_INPUT, and says why, where an option that replaces a file names one that is
 * also an operand, or that another option names. All options have their values. */
int tool_args_check_files(const tool_command *command, int count, char *const *operand);

#endif
