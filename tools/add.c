/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "add_report.h"
#include "output.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"

static const char *const examples[] = {
    "tulle add p3d7:20 random:8000,8000,4",
    "tulle add fem:500 fem:500 --on cpu:1 --type f32 --alpha 0.5 --beta -1",
    "tulle add random:60,40,5 random:40,60,3 --transpose-b --json",
    "tulle gen p2d5:30 grid.mtx && tulle add grid.mtx random:900,900,2 -o sum.mtx",
    NULL,
};

typedef struct settings {
    tool_common common;
    tool_add sum;
    int64_t repeat;
    bool transpose_a, transpose_b, no_check;
    int index; /* see TOOL_INDEX */
} settings;

static void set_up(const settings *s, tool_add_summary *summary) {
    tool_add *p = &summary->sum;
    *p = s->sum;
    p->sparse.A.op = s->transpose_a ? TULLE_T : TULLE_N;
    p->sparse.B.op = s->transpose_b ? TULLE_T : TULLE_N;
    p->sparse.check = !s->no_check;
    p->sparse.repeat = tool_repeat(s->repeat, 10, summary->device.backend == TULLE_EMULATED);
    p->options.index_given = s->index > 0;
    if (s->index > 0) p->options.index = (tulle_index)(s->index - 1);
}

static tulle_status add(tulle_ctx *ctx, char **operand, int count, const settings *s,
                        tool_add_summary *summary) {
    tool_add *p = &summary->sum;
    tulle_status status = tulle_ctx_device(ctx, &summary->device);
    set_up(s, summary);
    if (status == TULLE_OK) {
        status = tool_sparse_open(ctx, &s->common, operand, count, &p->sparse);
    }
    if (status == TULLE_OK) status = tool_run_add(ctx, p, &summary->report, &summary->result);
    tool_sparse_close(&p->sparse);
    if (status == TULLE_OK && p->sparse.repeat > 0) {
        status = tool_bandwidth(ctx, &summary->copy_gbs);
    }
    return status;
}

static int run(char **operand, int count, const settings *s) {
    tulle_ctx *ctx = NULL;
    tool_add_summary summary = {.copy_gbs = 0};
    const char *output = s->sum.sparse.output;
    tulle_status status = output ? tool_check_output(output) : TULLE_OK;
    if (status == TULLE_OK) status = tool_open_place(s->common.on, &ctx);
    if (status == TULLE_OK) status = add(ctx, operand, count, s, &summary);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    if (s->common.json) {
        tool_add_print_json(&summary);
    } else {
        tool_add_print(&summary);
    }
    return summary.result.error.units <= 1 ? TOOL_OK : TOOL_FAILED;
}

int tulle_tool_add(int argc, char **argv) {
    settings s = {
        .common = tool_common_defaults(), .sum = {.alpha = 1, .beta = 1}, .repeat = TOOL_NOT_GIVEN};
    tool_add *p = &s.sum;
    const tool_option options[] = {
        TOOL_ON(&s.common),
        TOOL_TURN("transpose-a", &s.transpose_a, "op(A) is the transpose of A"),
        TOOL_TURN("transpose-b", &s.transpose_b, "op(B) is the transpose of B"),
        TOOL_FACTOR("alpha", &p->alpha, "1"),
        TOOL_FACTOR("beta", &p->beta, "1"),
        TOOL_INDEX(&s.index),
        TOOL_OUTPUT(&p->sparse.output, "write C, as tulle convert does: .mtx or .tulle"),
        TOOL_REPEAT(&s.repeat, "10"),
        TOOL_NO_CHECK(&s.no_check),
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
    };
    const tool_command command = {
        .name = "add",
        .operands = "A B",
        .about =
            "Computes C = alpha op(A) + beta op(B), of sparse matrices, once, checks its pattern\n"
            "and every value against the definition in long double, and times more calls. C has\n"
            "an entry wherever A or B has one. The error is in units of the bound\n"
            "  gamma(p + 1) (|alpha| |A| + |beta| |B|), p the entries of A, or B, in that place:\n"
            "at most 1 is right; beyond 1, and with another pattern, the exit code is 1. Phases\n"
            "are those of a single call, the last one.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 2,
        .max_operands = 2,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    char **operand = parsed.operand;
    if (strcmp(operand[0], "-") == 0 && strcmp(operand[1], "-") == 0) {
        return tool_misuse("add", "A and B are both '-': standard input is one matrix");
    }
    tool_progress_allow(!s.common.quiet);
    return run(operand, parsed.count, &s);
}
