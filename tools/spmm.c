/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "multiply.h"
#include "subcommands.h"

static const char *const examples[] = {
    "tulle spmm p3d7:20 --check --repeat 20",
    "tulle spmm fem:500 --vectors 32 --layout column --on cpu --json",
    "tulle spmm banded:200,5 -K 3 --transpose --beta -0.5 --y-layout column",
    "tulle spmm fem:500 --format sell --layout column",
    "tulle spmm p2d5:30 -K 2 --x ones -o y.mtx && tulle spmm p2d5:30 -K 2 --x y.mtx",
    NULL,
};

int tulle_tool_spmm(int argc, char **argv) {
    const tool_multiply_command command = {
        .name = "spmm",
        .about =
            "Computes Y = alpha op(A) X + beta Y once, where X and Y are multivectors, and says "
            "so\n"
            "in a line. --check, --repeat, error and floor are those of tulle spmv, column by\n"
            "column. A matrix in another format than CSR\n"
            "needs both blocks by columns; each of these is then a product with one vector.",
        .examples = examples,
        .blocks = true,
    };
    return tool_multiply(&command, argc, argv);
}
