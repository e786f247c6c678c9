/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "sparse_command.h"
#include "spgemm_report.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"

static const char *const examples[] = {
    "tulle spgemm p3d7:20 -o p2.mtx",
    "tulle spgemm fem:500 --on cpu:1 --type f32 -k spgemm_spa --check -n 5",
    "tulle spgemm random:60,40,5 --transpose-b --alpha 0.5 --json",
    "tulle spgemm p3d7:20 interp3:20 --galerkin --add p3d27:10 --beta -1",
    "tulle spgemm rmat:10,8 --mask rmat:10,8 --check",
    "tulle spgemm p3d7:20 interp3:20 --galerkin --memory 2M --on cpu:1",
    "tulle gen p2d5:30 - | tulle spgemm - random:900,30,2 -o coarse.mtx",
    NULL,
};

/* A call of the command. */
typedef struct job {
    tool_sparse_settings settings;
    char **operand;
    int count;
    tool_spgemm_summary summary;
} job;

static tulle_status multiply(tulle_ctx *ctx, void *user) {
    job *j = user;
    tool_spgemm_summary *summary = &j->summary;
    tool_spgemm *p = &summary->product;
    tulle_status status = tulle_ctx_device(ctx, &summary->device);
    tool_sparse_set_up(&j->settings, &p->sparse);
    p->cap = j->settings.common.memory;
    if (status == TULLE_OK) {
        status = tool_sparse_open(ctx, &j->settings.common, j->operand, j->count, &p->sparse);
    }
    if (status == TULLE_OK && p->add) {
        status = tool_operand_open(ctx, &j->settings.common, p->add, &p->D);
        p->sparse.added = &p->D;
    }
    if (status == TULLE_OK && p->on) {
        status = tool_operand_open(ctx, &j->settings.common, p->on, &p->mask);
        p->sparse.mask = &p->mask;
    }
    if (status == TULLE_OK) status = tool_run_spgemm(ctx, p, &summary->report, &summary->result);
    tool_operand_close(&p->mask);
    tool_operand_close(&p->D);
    tool_sparse_close(&p->sparse);
    return status;
}

int tulle_tool_spgemm(int argc, char **argv) {
    job j = {.settings = tool_sparse_defaults(),
             .summary = {.product = {.options = {.alpha = 1, .beta = (double)NAN}}}};
    tool_sparse_settings *s = &j.settings;
    tool_spgemm *p = &j.summary.product;
    const tool_option options[] = {
        TOOL_ON(&s->common),
        TOOL_KERNEL(&p->kernel),
        TOOL_TURN("transpose-a", &s->transpose_a, "op(A) is the transpose of A"),
        TOOL_TURN("transpose-b", &s->transpose_b,
                  "op(B) is the transpose of B; without B, of A: A A'"),
        TOOL_TURN("galerkin", &p->galerkin, "C = alpha P' A P, of A and P"),
        TOOL_FACTOR("alpha", &p->options.alpha, "1"),
        {.name = "add",
         .kind = TOOL_TEXT,
         .target = &p->add,
         .value = "D",
         .help = "add beta D, a matrix as A is named"},
        TOOL_FACTOR("beta", &p->options.beta, "1"),
        {.name = "mask",
         .kind = TOOL_TEXT,
         .target = &p->on,
         .value = "M",
         .help = "the product only where M, a matrix as A is named, has entries"},
        {.name = "unsorted",
         .kind = TOOL_FLAG,
         .target = &p->options.call.unsorted,
         .help = "the columns of a row of C may stand in any order"},
        TOOL_INDEX(&s->index),
        TOOL_MEMORY(&s->common),
        TOOL_OUTPUT(&p->sparse.output, "write C, as tulle convert does: .mtx or .tulle"),
        TOOL_CHECK(&s->check),
        TOOL_REPEAT(&s->repeat, "0: none"),
        TOOL_TYPE(&s->common),
        TOOL_SEED(&s->common),
        TOOL_JSON(&s->common),
        TOOL_QUIET(&s->common),
    };
    const tool_command command = {
        .name = "spgemm",
        .operands = "A [B]",
        .about =
            "Computes C = alpha op(A) op(B) + beta D, of sparse matrices (without B, B is A;\n"
            "without --add, there is no D), or alpha P' A P, once, and says so in a line. With\n"
            "--mask the product is made at M's places alone; kernels are then those of the\n"
            "operation masked. --check\n"
            "compares its pattern and every value with the definition in long double, --repeat\n"
            "times more calls, and both say all that is known. The error is in units of the bound\n"
            "  gamma(p + 1) |alpha| (|A| |B|), p the products that meet in the entry, or\n"
            "  gamma(p + 2) |alpha| (|P|' |A| |P|); with D, whose |beta| |D| is added,\n"
            "  gamma(n + 1), n the larger of p + 1, or p + 2, and D's entries there:\n"
            "at most 1 is right; beyond 1, and with another pattern, the exit code is 1. Phases\n"
            "are those of a single call, the last one. What C may take is then printed before it\n"
            "is computed; for that, --galerkin makes A P once more. Where --memory does not let C "
            "be\n"
            "made at once, it is made in pieces, with the same bits; writing C needs memory "
            "beside\n"
            "that.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 2,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    if (tool_sparse_both_stdin(parsed.operand, parsed.count)) {
        return tool_misuse("spgemm", "A and B are both '-': standard input is one matrix");
    }
    if (p->add && strcmp(p->add, "-") == 0) {
        return tool_misuse("spgemm", "D is '-': standard input is for A or B");
    }
    if (p->on && strcmp(p->on, "-") == 0) {
        return tool_misuse("spgemm", "M is '-': standard input is for A or B");
    }
    if (p->on && p->galerkin) {
        return tool_misuse("spgemm", "--mask is of A B: --galerkin takes none");
    }
    if (!p->add && !isnan(p->options.beta)) {
        return tool_misuse("spgemm", "--beta is of D: there is none without --add");
    }
    if (p->galerkin && (parsed.count < 2 || s->transpose_a || s->transpose_b)) {
        return tool_misuse("spgemm", "--galerkin is P' A P, of an A and a P that are not turned");
    }
    if (isnan(p->options.beta)) p->options.beta = 1;
    j.operand = parsed.operand;
    j.count = parsed.count;
    p->bounds_first = (s->check || s->repeat > 0) && !(s->common.json && s->common.json[0] == '-');
    tool_progress_allow(!s->common.quiet);
    const tool_sparse_command does = {.work = multiply,
                                      .add = tool_spgemm_add,
                                      .line = tool_spgemm_line,
                                      .text = tool_spgemm_text,
                                      .sparse = &p->sparse,
                                      .result = &j.summary.result,
                                      .user = &j,
                                      .summary = &j.summary};
    return tool_sparse_do(&s->common, p->sparse.output, &does);
}
