/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "output.h"
#include "spgemm_report.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"

static const char *const examples[] = {
    "tulle spgemm p3d7:20",
    "tulle spgemm fem:500 --on cpu:1 --type f32 --kernel spgemm_spa --repeat 5",
    "tulle spgemm random:60,40,5 --transpose-b --alpha 0.5 --json",
    "tulle gen p2d5:30 grid.mtx && tulle spgemm grid.mtx random:900,30,2 -o coarse.mtx",
    NULL,
};

enum { NOT_GIVEN = -1 };

typedef struct settings {
    tool_common common;
    tool_spgemm product;
    int64_t repeat;
    bool transpose_a, transpose_b, no_check;
    int index; /* a word of INDEX_WORDS */
} settings;

/* The order of tulle_index, behind the word that leaves it open. */
#define INDEX_WORDS "auto|32/32|64/32|64"

/* Timing calls on the emulator says nothing. */
static int64_t default_repeat(tulle_backend backend) {
    return backend == TULLE_EMULATED ? 0 : 10;
}

static void set_up(const settings *s, tool_spgemm_summary *summary) {
    tool_spgemm *p = &summary->product;
    *p = s->product;
    p->A.op = s->transpose_a ? TULLE_T : TULLE_N;
    p->B.op = s->transpose_b ? TULLE_T : TULLE_N;
    p->check = !s->no_check;
    p->options.index_given = s->index > 0;
    if (s->index > 0) p->options.index = (tulle_index)(s->index - 1);
    p->repeat = s->repeat == NOT_GIVEN ? default_repeat(summary->device.backend) : s->repeat;
}

static tulle_status open_operand(tulle_ctx *ctx, const settings *s, const char *name,
                                 tool_spgemm_operand *operand) {
    operand->name = name;
    tulle_status status =
        tool_open_matrix(ctx, name, (tulle_type)s->common.type, (uint64_t)s->common.seed,
                         &operand->matrix, &operand->source);
    return status == TULLE_OK ? tulle_mat_describe(operand->matrix, &operand->info) : status;
}

/* B of A A is A, but for what is made of it. */
static tulle_status open_second(tulle_ctx *ctx, const settings *s, const char *name,
                                tool_spgemm_summary *summary) {
    tool_spgemm *p = &summary->product;
    if (name) return open_operand(ctx, s, name, &p->B);
    tulle_trans op = p->B.op;
    p->B = p->A;
    p->B.op = op;
    p->B.matrix = tulle_mat_retain(p->A.matrix);
    return TULLE_OK;
}

static tulle_status multiply(tulle_ctx *ctx, char **operand, int count, const settings *s,
                             tool_spgemm_summary *summary) {
    tool_spgemm *p = &summary->product;
    tulle_status status = tulle_ctx_device(ctx, &summary->device);
    set_up(s, summary);
    summary->squared = count < 2;
    if (status == TULLE_OK) status = open_operand(ctx, s, operand[0], &p->A);
    if (status == TULLE_OK) status = open_second(ctx, s, count < 2 ? NULL : operand[1], summary);
    if (status == TULLE_OK) status = tool_run_spgemm(ctx, p, &summary->result);
    tulle_mat_destroy(p->A.matrix);
    tulle_mat_destroy(p->B.matrix);
    return status;
}

static int run(char **operand, int count, const settings *s) {
    tulle_ctx *ctx = NULL;
    tool_spgemm_summary summary = {.squared = false};
    const char *output = s->product.output;
    tulle_status status = output ? tool_check_output(output) : TULLE_OK;
    if (status == TULLE_OK) status = tool_open_place(s->common.on, &ctx);
    if (status == TULLE_OK) status = multiply(ctx, operand, count, s, &summary);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    if (s->common.json) {
        tool_spgemm_print_json(&summary);
    } else {
        tool_spgemm_print(&summary);
    }
    return summary.result.error.units <= 1 ? TOOL_OK : TOOL_FAILED;
}

int tulle_tool_spgemm(int argc, char **argv) {
    settings s = {.common = tool_common_defaults(), .product = {.alpha = 1}, .repeat = NOT_GIVEN};
    tool_spgemm *p = &s.product;
    const tool_option options[] = {
        TOOL_ON(&s.common),
        {.name = "kernel",
         .letter = 'k',
         .kind = TOOL_TEXT,
         .target = &p->kernel,
         .value = "SPEC",
         .help = "this kernel: NAME or NAME:param=value,... (see tulle kernels)"},
        {.name = "transpose-a",
         .kind = TOOL_FLAG,
         .target = &s.transpose_a,
         .help = "op(A) is the transpose of A"},
        {.name = "transpose-b",
         .kind = TOOL_FLAG,
         .target = &s.transpose_b,
         .help = "op(B) is the transpose of B; without B, of A: A A'"},
        {.name = "alpha",
         .kind = TOOL_REAL,
         .target = &p->alpha,
         .value = "NUMBER",
         .help = "(default 1)"},
        {.name = "unsorted",
         .kind = TOOL_FLAG,
         .target = &p->options.unsorted,
         .help = "the columns of a row of C may stand in any order"},
        {.name = "index",
         .kind = TOOL_CHOICE,
         .target = &s.index,
         .value = INDEX_WORDS,
         .help = "bits of C's offsets and columns (default auto: what holds it)"},
        {.name = "output",
         .letter = 'o',
         .kind = TOOL_TEXT,
         .target = &p->output,
         .value = "FILE",
         .help = "write C, as tulle convert does: .mtx or .tulle"},
        {.name = "repeat",
         .letter = 'n',
         .kind = TOOL_INT,
         .target = &s.repeat,
         .value = "N",
         .help = "time N more calls (default 10; on the emulator 0)",
         .min = 0,
         .max = 1000000},
        {.name = "no-check",
         .kind = TOOL_FLAG,
         .target = &s.no_check,
         .help = "leave out the comparison with the definition, which takes long"},
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
    };
    const tool_command command = {
        .name = "spgemm",
        .operands = "A [B]",
        .about =
            "Computes C = alpha op(A) op(B), of sparse matrices, once (without B, B is A), checks\n"
            "its pattern and every value against the definition in long double, and times more\n"
            "calls. The error is in units of the bound\n"
            "  gamma(p + 1) |alpha| (|A| |B|), p the products that meet in the entry:\n"
            "at most 1 is right; beyond 1, and with another pattern, the exit code is 1. Phases\n"
            "are those of a single call, the last one.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 2,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    char **operand = parsed.operand;
    if (parsed.count > 1 && strcmp(operand[0], "-") == 0 && strcmp(operand[1], "-") == 0) {
        return tool_misuse("spgemm", "A and B are both '-': standard input is one matrix");
    }
    tool_progress_allow(!s.common.quiet);
    return run(operand, parsed.count, &s);
}
