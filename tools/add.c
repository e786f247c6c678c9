/* SPDX-License-Identifier: Apache-2.0 */
#include "add_report.h"
#include "sparse_command.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"

static const char *const examples[] = {
    "tulle add p3d7:20 random:8000,8000,4 --check --repeat 10",
    "tulle add fem:500 fem:500 --on cpu:1 --type f32 --alpha 0.5 --beta -1",
    "tulle add random:60,40,5 random:40,60,3 --transpose-b --json",
    "tulle gen p2d5:30 grid.mtx && tulle add grid.mtx random:900,900,2 -o sum.mtx",
    NULL,
};

/* A call of the command. */
typedef struct job {
    tool_sparse_settings settings;
    char **operand;
    int count;
    tool_add_summary summary;
} job;

static tulle_status add(tulle_ctx *ctx, void *user) {
    job *j = user;
    tool_add_summary *summary = &j->summary;
    tool_add *p = &summary->sum;
    tulle_status status = tulle_ctx_device(ctx, &summary->device);
    tool_sparse_set_up(&j->settings, &p->sparse);
    if (status == TULLE_OK) {
        status = tool_sparse_open(ctx, &j->settings.common, j->operand, j->count, &p->sparse);
    }
    if (status == TULLE_OK) status = tool_run_add(ctx, p, &summary->report, &summary->result);
    tool_sparse_close(&p->sparse);
    if (status == TULLE_OK && p->sparse.repeat > 0) {
        status = tool_bandwidth(ctx, &summary->copy_gbs);
    }
    return status;
}

int tulle_tool_add(int argc, char **argv) {
    job j = {.settings = tool_sparse_defaults(),
             .summary = {.sum = {.options = {.alpha = 1, .beta = 1}}}};
    tool_sparse_settings *s = &j.settings;
    tool_add *p = &j.summary.sum;
    const tool_option options[] = {
        TOOL_ON(&s->common),
        TOOL_TURN("transpose-a", &s->transpose_a, "op(A) is the transpose of A"),
        TOOL_TURN("transpose-b", &s->transpose_b, "op(B) is the transpose of B"),
        TOOL_FACTOR("alpha", &p->options.alpha, "1"),
        TOOL_FACTOR("beta", &p->options.beta, "1"),
        TOOL_INDEX(&s->index),
        TOOL_OUTPUT(&p->sparse.output, "write C, as tulle convert does: .mtx or .tulle"),
        TOOL_CHECK(&s->check),
        TOOL_REPEAT(&s->repeat, "0: none"),
        TOOL_TYPE(&s->common),
        TOOL_SEED(&s->common),
        TOOL_JSON(&s->common),
        TOOL_QUIET(&s->common),
    };
    const tool_command command = {
        .name = "add",
        .operands = "A B",
        .about =
            "Computes C = alpha op(A) + beta op(B), of sparse matrices, once, and says so in a\n"
            "line. C has an entry wherever A or B has one. --check compares its pattern and every\n"
            "value with the definition in long double, --repeat times more calls, and both say\n"
            "all that is known. The error is in units of the bound\n"
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
    if (tool_sparse_both_stdin(parsed.operand, parsed.count)) {
        return tool_misuse("add", "A and B are both '-': standard input is one matrix");
    }
    j.operand = parsed.operand;
    j.count = parsed.count;
    tool_progress_allow(!s->common.quiet);
    const tool_sparse_command does = {.work = add,
                                      .add = tool_add_add,
                                      .line = tool_add_line,
                                      .text = tool_add_text,
                                      .sparse = &p->sparse,
                                      .result = &j.summary.result,
                                      .user = &j,
                                      .summary = &j.summary};
    return tool_sparse_do(&s->common, p->sparse.output, &does);
}
