/* SPDX-License-Identifier: Apache-2.0 */
#include "args.h"
#include "error.h"
#include "input.h"
#include "output.h"
#include "progress.h"
#include "subcommands.h"
#include "written.h"

static const char *const examples[] = {
    "tulle gen p2d5:30 grid.mtx",
    "tulle convert grid.mtx grid.tulle",
    "tulle convert grid.tulle lower.mtx.gz --symmetric",
    "tulle convert grid.mtx pattern.mtx.xz --pattern",
    NULL,
};

static tulle_status convert(tulle_ctx *ctx, char **operand, const tool_common *common,
                            const tulle_save_options *save, tool_written *written) {
    tulle_mat *A = NULL;
    tulle_status status = tool_check_output(operand[1]);
    if (status == TULLE_OK) {
        status = tool_open_matrix(ctx, operand[0], (tulle_type)common->type, (uint64_t)common->seed,
                                  &A, &written->source);
    }
    if (status == TULLE_OK) status = tool_write_matrix(ctx, A, operand[1], save, written);
    tulle_mat_destroy(A);
    return status;
}

int tulle_tool_convert(int argc, char **argv) {
    tool_common common = tool_common_defaults();
    tulle_save_options save = {0};
    const tool_option options[] = {
        {.name = "symmetric",
         .kind = TOOL_FLAG,
         .target = &save.symmetric,
         .help = "write the lower triangle only; fails unless the matrix is symmetric"},
        {.name = "pattern",
         .kind = TOOL_FLAG,
         .target = &save.pattern,
         .help = "leave the values out; reading gives them the value 1"},
        TOOL_TYPE(&common),
        TOOL_SEED(&common),
        TOOL_JSON(&common),
        TOOL_QUIET(&common),
    };
    const tool_command command = {
        .name = "convert",
        .operands = "MATRIX FILE",
        .about =
            "Writes a matrix to a file. The ending of its name says how: .mtx (Matrix Market) or\n"
            ".tulle (binary, loads at disk speed), and .gz, .xz or .zst behind it to compress.\n"
            "Numbers are written so that reading gives the same bits. The file appears whole or\n"
            "not at all.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 2,
        .max_operands = 2,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    tool_progress_allow(!common.quiet);

    tulle_ctx *ctx = NULL;
    tool_written written;
    tulle_status status = tool_open_place("cpu", &ctx);
    if (status == TULLE_OK) status = convert(ctx, parsed.operand, &common, &save, &written);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    tool_print_written(&written, &common);
    return TOOL_OK;
}
