/* SPDX-License-Identifier: Apache-2.0 */
#include "save_order.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/input.h"
#include "tools/common/layout.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "trials/order.h"
#include "written.h"

static const char *const examples[] = {
    "tulle gen p2d5:30 grid.mtx",
    "tulle convert grid.mtx grid.tulle",
    "tulle convert grid.tulle lower.mtx.gz --symmetric",
    "tulle convert grid.mtx compressed.tulle --format dcsr",
    "tulle convert grid.mtx blocks.tulle --format bsr:block=3",
    "tulle convert grid.mtx pattern.mtx.xz --pattern",
    "tulle convert grid.mtx near.mtx --order rcm --permutation order.mtx",
    NULL,
};

enum { AS_GIVEN, RCM };

typedef struct settings {
    tool_common common;
    tulle_save_options save;
    int order;
    const char *permutation, *format;
    tool_layout layout;
} settings;

static tulle_status check_outputs(const settings *s, const char *path) {
    tulle_status status = tool_check_output(path);
    if (status != TULLE_OK || !s->permutation) return status;
    return tool_check_text_output(s->permutation, &tool_file_array);
}

/* Puts P A P^T in the place of A. */
static tulle_status reorder(tulle_ctx *ctx, const settings *s, tulle_mat **A,
                            tool_written *written) {
    tulle_mat *B = NULL;
    tulle_order *P = NULL;
    tulle_mat_info before;
    tulle_status status = tulle_mat_describe(*A, &before);
    if (status == TULLE_OK) status = trial_order_apply(ctx, *A, TRIAL_ORDER_RCM, &B, &P);
    if (status == TULLE_OK && s->permutation) status = tool_save_order(ctx, s->permutation, P);
    tulle_order_destroy(P);
    if (status != TULLE_OK) {
        tulle_mat_destroy(B);
        return status;
    }
    tulle_mat_destroy(*A);
    *A = B;
    written->reordered = true;
    written->bandwidth_before = before.bandwidth;
    return TULLE_OK;
}

static tulle_status reformat(tulle_ctx *ctx, const settings *s, tulle_mat **A) {
    tulle_mat *B = NULL;
    double ms;
    tulle_status status = tool_layout_apply(ctx, *A, &s->layout, &B, &ms);
    if (status != TULLE_OK) return status;
    tulle_mat_destroy(*A);
    *A = B;
    return TULLE_OK;
}

static tulle_status convert(tulle_ctx *ctx, char **operand, const settings *s,
                            tool_written *written) {
    tulle_mat *A = NULL;
    tulle_status status = check_outputs(s, operand[1]);
    if (status == TULLE_OK) {
        status = tool_open_matrix(ctx, operand[0], (tulle_type)s->common.type,
                                  (uint64_t)s->common.seed, &A, &written->source);
    }
    if (status == TULLE_OK && s->order == RCM) status = reorder(ctx, s, &A, written);
    if (status == TULLE_OK && s->format) status = reformat(ctx, s, &A);
    if (status == TULLE_OK) status = tool_write_matrix(ctx, A, operand[1], &s->save, written);
    tulle_mat_destroy(A);
    return status;
}

static bool fits_file(tulle_format format) {
    return format == TULLE_CSR || format == TULLE_DCSR || format == TULLE_BSR;
}

int tulle_tool_convert(int argc, char **argv) {
    settings s = {.common = tool_common_defaults()};
    const tool_option options[] = {
        {.name = "symmetric",
         .kind = TOOL_FLAG,
         .target = &s.save.symmetric,
         .help = "write the lower triangle only; fails unless the matrix is symmetric"},
        {.name = "pattern",
         .kind = TOOL_FLAG,
         .target = &s.save.pattern,
         .help = "leave the values out; reading gives them the value 1"},
        {.name = "order",
         .kind = TOOL_CHOICE,
         .target = &s.order,
         .value = "given|rcm",
         .help = "rcm: rows and columns in the reverse Cuthill-McKee order (default given)"},
        {.name = "permutation",
         .kind = TOOL_TEXT,
         .target = &s.permutation,
         .value = "FILE",
         .help = "also write that order: which row of MATRIX, from 1 on, row i is",
         .replaces = true,
         .is_result = true},
        {.name = "format",
         .kind = TOOL_TEXT,
         .target = &s.format,
         .value = "FORMAT",
         .help = "of a .tulle file: csr, dcsr (empty rows take no room) or bsr:block=3 (blocks)"},
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
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
        .result_operand = 2,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    if (s.permutation && s.order == AS_GIVEN) {
        return tool_misuse("convert", "--permutation: there is none without --order rcm");
    }
    int code = tool_layout_parse("convert", s.format, &s.layout);
    if (code != TOOL_OK) return code;
    if (!fits_file(s.layout.format)) {
        return tool_misuse("convert", "--format: files hold csr, dcsr and bsr");
    }
    if (s.layout.format == TULLE_BSR && !tool_is_binary_name(parsed.operand[1])) {
        return tool_misuse("convert", "--format: only .tulle files hold bsr, not %s",
                           parsed.operand[1]);
    }
    tool_progress_allow(!s.common.quiet);

    tulle_ctx *ctx = NULL;
    tool_written written = {0};
    tulle_status status = tool_open_place("cpu", &ctx);
    if (status == TULLE_OK) status = convert(ctx, parsed.operand, &s, &written);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    return tool_print_written(&written, &s.common);
}
