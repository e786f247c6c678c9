/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/generators.h"
#include "tools/common/input.h"
#include "tools/common/json.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "written.h"

static const char *const examples[] = {
    "tulle gen --list",
    "tulle gen p3d7:20 grid.mtx",
    "tulle gen fem:500 mesh.mtx.gz --seed 7 --type f32",
    NULL,
};

static const char list_text[] = "<{*generators}{usage}\n    {summary}\n    example: {example}\n>";

static void add_list(cJSON *json, const void *unused) {
    (void)unused;
    cJSON *list = tool_json_list(json, "generators");
    for (int i = 0; i < tool_generator_count(); i++) {
        tulle_generator_info info;
        if (tool_generator_describe(i, &info) != TULLE_OK) continue;
        cJSON *item = tool_json_item(list);
        tool_json_text(item, "name", info.name);
        tool_json_text(item, "usage", info.usage);
        tool_json_text(item, "summary", info.summary);
        tool_json_text(item, "example", info.example);
        tool_json_bool(item, "on_device", info.on_device);
    }
}

static tulle_status generate(tulle_ctx *ctx, char **operand, const tool_common *common,
                             const tulle_save_options *save, tool_written *written) {
    tulle_mat *A = NULL;
    tulle_status status = tool_check_output(operand[1]);
    if (status == TULLE_OK) {
        status = tool_open_generated(ctx, operand[0], (tulle_type)common->type,
                                     (uint64_t)common->seed, &A, &written->source);
    }
    if (status == TULLE_OK) status = tool_write_matrix(ctx, A, operand[1], save, written);
    tulle_mat_destroy(A);
    return status;
}

int tulle_tool_gen(int argc, char **argv) {
    tool_common common = tool_common_defaults();
    common.on = "cpu";
    bool list = false;
    tulle_save_options save = {0};
    const tool_option options[] = {
        {.name = "list",
         .letter = 'l',
         .kind = TOOL_FLAG,
         .target = &list,
         .help = "list them all"},
        {.name = "symmetric",
         .kind = TOOL_FLAG,
         .target = &save.symmetric,
         .help = "write the lower triangle only; fails unless the matrix is symmetric"},
        {.name = "on",
         .kind = TOOL_TEXT,
         .target = &common.on,
         .value = "PLACE",
         .help = "where it is made; the same bits everywhere (default cpu)"},
        TOOL_TYPE(&common),
        TOOL_SEED(&common),
        TOOL_JSON(&common),
        TOOL_QUIET(&common),
    };
    const tool_command command = {
        .name = "gen",
        .operands = "SPEC FILE",
        .about =
            "Makes a model matrix from the specification of a generator and writes it to a file\n"
            "(.mtx or .tulle, and .gz, .xz or .zst behind it to compress). The same "
            "specification,\n"
            "seed and type give the same matrix on every machine.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 0,
        .max_operands = 2,
        .result_operand = 2,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    const tool_form form = {.add = add_list, .text = list_text};
    if (list) return tool_report_fields(&common, &form, NULL);
    if (parsed.count < 2) return tool_misuse("gen", "what is missing: SPEC FILE, or --list");
    tool_progress_allow(!common.quiet);

    tulle_ctx *ctx = NULL;
    tool_written written = {0};
    tulle_status status = tool_open_place(common.on, &ctx);
    if (status == TULLE_OK) status = generate(ctx, parsed.operand, &common, &save, &written);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    return tool_print_written(&written, &common);
}
