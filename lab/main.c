/* SPDX-License-Identifier: Apache-2.0 */
/* The program tulle-lab: the subcommands of tulle, whose benchmark has other libraries beside it
 * here and whose generators include the stand-ins of the papers' matrices, and the papers'
 * experiments. */
#include <stddef.h>

#include "../tools/subcommands.h"
#include "lab/papers/like/like.h"
#include "lab/peers/peers.h"
#include "lab/subcommands.h"
#include "tools/common/generators.h"
#include "tools/common/program.h"

static const tool_subcommand subcommands[] = {
#define X(name, summary) {#name, summary, tulle_tool_##name},
    TOOL_SUBCOMMANDS(X) LAB_SUBCOMMANDS(X)
#undef X
};

static const char *const examples[] = {"tulle-lab bench --peers scipy p2d5:30",
                                       "tulle-lab help paper", NULL};

int main(int argc, char **argv) {
    tool_generators_add(&paper_like_generator);
    lab_peers_offer();
    const tool_program program = {
        .name = "tulle-lab",
        .purpose = "tulle beside other libraries, and the experiments of the papers that it is of.",
        .examples = examples,
        .subcommands = subcommands,
        .count = sizeof subcommands / sizeof *subcommands};
    return tool_program_run(&program, argc, argv);
}
