/* SPDX-License-Identifier: Apache-2.0 */
/* Reports at the end of a command: in lines for people, in JSON for programs, or, where the JSON
 * goes to a file, in both. */
#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include "tools/common/args.h"

/* Prints the results that `user` points to, by tool_json_report or by tool_say. */
typedef void (*tool_print_fn)(const void *user);

/* Reports the results. Returns TOOL_OK, or, where the file cannot be written, prints why and
 * returns an exit code. */
int tool_report(const tool_common *common, tool_print_fn json, tool_print_fn text,
                const void *user);

#endif
