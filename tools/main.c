/* SPDX-License-Identifier: Apache-2.0 */
/* The program tulle: its subcommands. */
#include <stddef.h>

#include "subcommands.h"
#include "tools/common/program.h"

static const tool_subcommand subcommands[] = {
#define X(name, summary) {#name, summary, tulle_tool_##name},
    TOOL_SUBCOMMANDS(X)
#undef X
};

static const char *const examples[] = {"tulle info p3d7:20", "tulle help spmv", NULL};

int main(int argc, char **argv) {
    const tool_program program = {.name = "tulle",
                                  .purpose = "Sparse linear algebra on NVIDIA GPUs and CPUs.",
                                  .examples = examples,
                                  .subcommands = subcommands,
                                  .count = sizeof subcommands / sizeof *subcommands};
    return tool_program_run(&program, argc, argv);
}
