/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "args.h"
#include "error.h"
#include "info_report.h"
#include "picture.h"
#include "progress.h"
#include "subcommands.h"

static const char *const examples[] = {
    "tulle info p3d7:20",
    "tulle info rmat:10,8 --ascii --seed 3",
    "tulle gen fem:500 mesh.mtx.gz && tulle info mesh.mtx.gz --json",
    NULL,
};

typedef struct settings {
    tool_common common;
    bool ascii, no_picture;
} settings;

static tulle_status print_picture(tulle_ctx *ctx, const tulle_mat *A, tool_terminal terminal) {
    tool_csr csr = {0};
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) {
        printf("\nPattern\n");
        status = tool_print_picture(&csr, terminal, stdout);
    }
    tool_csr_close(&csr);
    return status;
}

static tulle_status print_report(tulle_ctx *ctx, const settings *s, const tulle_mat *A,
                                 tool_info_report *report) {
    tulle_status status = tulle_mat_describe(A, &report->info);
    if (status == TULLE_OK) status = tool_analyse(ctx, A, &report->analysis);
    if (status != TULLE_OK) return status;
    if (s->common.json) {
        tool_info_print_json(report);
        return TULLE_OK;
    }
    tool_terminal terminal = tool_terminal_of_stdout();
    terminal.utf8 = terminal.utf8 && !s->ascii;
    tool_info_print(report, terminal);
    return s->no_picture ? TULLE_OK : print_picture(ctx, A, terminal);
}

static tulle_status inform(const settings *s, const char *argument) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tool_info_report report = {.name = argument};
    tulle_status status = tool_open_place("cpu", &ctx);
    if (status == TULLE_OK) {
        status = tool_open_matrix(ctx, argument, (tulle_type)s->common.type,
                                  (uint64_t)s->common.seed, &A, &report.source);
    }
    if (status == TULLE_OK) status = print_report(ctx, s, A, &report);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return status;
}

int tulle_tool_info(int argc, char **argv) {
    settings s = {.common = tool_common_defaults()};
    const tool_option options[] = {
        {.name = "ascii",
         .kind = TOOL_FLAG,
         .target = &s.ascii,
         .help = "no characters beyond ASCII, also in a UTF-8 terminal"},
        {.name = "no-picture",
         .kind = TOOL_FLAG,
         .target = &s.no_picture,
         .help = "leave the picture of the pattern out"},
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
    };
    const tool_command command = {
        .name = "info",
        .operands = "MATRIX",
        .about =
            "Shape, entries, symmetry of the pattern and of the values, lengths of the rows,\n"
            "bandwidth, memory in each format, and a picture of the pattern. For a file also what\n"
            "its head says and how fast it was read.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 1,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    tool_progress_allow(!s.common.quiet);
    tulle_status status = inform(&s, parsed.operand[0]);
    return status == TULLE_OK ? TOOL_OK : tool_fail(status);
}
