/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_HELP_H
#define TOOL_HELP_H

#include "tools/common/args.h"

/* Prints the help text of a subcommand on standard output, without explaining its operands: one
 * screen, where there is little to say. */
void tool_help_briefly(const tool_command *command);

/* Prints the help text of a subcommand on standard output, with an explanation of its operands. */
void tool_help(const tool_command *command);

#endif
