/* SPDX-License-Identifier: Apache-2.0 */
/* The help of the benchmark: one screen, and a page for each operation behind --op NAME --help. */
#ifndef TOOL_BENCH_PAGES_H
#define TOOL_BENCH_PAGES_H

#include "tools/common/args.h"

/* True if an operation, of a number of bench/op.h, takes an option of the benchmark. */
typedef bool (*tool_bench_takes_fn)(int op, const char *option);

/* Prints the screen, where operation is NULL, the operation's page, or for "all" everything.
 * Returns an exit code: there may be no operation of that name. */
int tool_bench_help(const tool_command *command, const char *operation, tool_bench_takes_fn takes);

#endif
