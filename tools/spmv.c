/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "multiply.h"
#include "subcommands.h"

static const char *const examples[] = {
    "tulle spmv p3d7:20 --check --repeat 20",
    "tulle spmv fem:500 --on cpu:1 --type f32 --kernel spmv_csr_seq",
    "tulle spmv banded:200,5 --transpose --plan --alpha 2 --beta -0.5 --json",
    "tulle spmv fem:500 --format sell:slice=32,window=64",
    "tulle spmv rmat:10,8 --explain",
    "tulle spmv p2d5:30 --x ones -o y.mtx && tulle spmv p2d5:30 --x y.mtx",
    NULL,
};

int tulle_tool_spmv(int argc, char **argv) {
    const tool_multiply_command command = {
        .name = "spmv",
        .about =
            "Computes y = alpha op(A) x + beta y once, and says so in a line. --check compares\n"
            "every entry with the definition in long double, --repeat times more calls, and both\n"
            "say all that is known. The error is in units of the bound\n"
            "  gamma(n + 2) (|alpha| |A| |x| + |beta| |y|), n the entries of the row:\n"
            "at most 1 is right; beyond 1 the exit code is 1. The floor is the time that the\n"
            "machine needs to copy as many bytes as the product must at least read and write.",
        .examples = examples,
    };
    return tool_multiply(&command, argc, argv);
}
