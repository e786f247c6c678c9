/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "done.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"
#include "trisolve_report.h"

static const char *const examples[] = {
    "tulle trisolve p3d7:20 --check --repeat 20",
    "tulle trisolve fem:500 --dominant --part upper -K 4 --on cpu:2 --type f32",
    "tulle trisolve random:400,400,3 --unit --trans T --alpha 0.5 --json",
    "tulle trisolve p3d7:10 --format bsr:block=2 --kernel trisolve_rows --on cpu",
    "tulle gen p2d5:30 grid.mtx && tulle trisolve grid.mtx --b ones -o x.mtx",
    NULL,
};

typedef struct settings {
    tool_common common;
    tool_trisolve_summary summary;
    bool unit;
    int op, layout;
    const char *format;
} settings;

static tulle_status look(tool_trial *trial, const trial_problem *problem, void *x) {
    tool_trisolve_summary *summary = (tool_trisolve_summary *)trial;
    summary->analysis = *trial_trisolve_analysis(problem);
    summary->not_finite = trial_trisolve_not_finite(problem, x);
    return TULLE_OK;
}

/* Says what somebody can do about a row that has not one entry on the diagonal. */
static tulle_status advise(const tool_trial *trial, const trial_problem *problem,
                           tulle_status status) {
    (void)problem;
    const int64_t row = tulle_last_error()->row;
    const bool blocks = trial->info.format == TULLE_BSR && trial->info.storage.block > 1;
    if (status != TULLE_UNSUPPORTED || row < 0) return status;
    return tool_record(status,
                       "%s: %s %" PRId64
                       " (from 0) has no entry on the diagonal, or several: add it, or give "
                       "--unit, with which ones stand there, or --dominant",
                       trial->A.name, blocks ? "block row" : "row", row);
}

static int run(const char *name, settings *s) {
    tulle_ctx *ctx = NULL;
    tool_trial *t = &s->summary.trial;
    s->summary.options.diag = s->unit ? TULLE_UNIT : TULLE_NON_UNIT;
    t->given.trans = (tulle_trans)s->op;
    t->given.block.layout = (tulle_layout)s->layout;
    int code = tool_layout_parse("trisolve", s->format, &t->format);
    if (code == TOOL_OK) code = tool_layout_csr_or_bsr("trisolve", &t->format);
    if (code != TOOL_OK) return code;
    t->format = tool_layout_or_csr(t->format);
    tulle_status status =
        t->output ? tool_check_text_output(t->output, &tool_file_array) : TULLE_OK;
    if (status == TULLE_OK) status = tool_open_place(s->common.on, &ctx);
    if (status == TULLE_OK) status = tool_trial_run(ctx, &s->common, name, t);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    const tool_done done = {.whole = t->given.check || t->repeat > 0,
                            .add = tool_trisolve_add,
                            .line = tool_trisolve_line,
                            .text = tool_trisolve_text};
    code = tool_report_done(&s->common, &done, &s->summary);
    return tool_trial_is_right(t) ? code : TOOL_FAILED;
}

int tulle_tool_trisolve(int argc, char **argv) {
    settings s = {.common = tool_common_defaults(),
                  .summary = {.trial = {.operation = &trial_operation_trisolve,
                                        .given = {.count = 1, .block = {.vectors = 1}},
                                        .noun = "system",
                                        .square = true,
                                        .look = look,
                                        .advise = advise},
                              .options = trial_trisolve_plain}};
    tool_trial *t = &s.summary.trial;
    trial_trisolve_options *p = &s.summary.options;
    t->given.options = p;
    const tool_option options[] = {
        TOOL_ON(&s.common),
        TOOL_KERNEL(&t->kernel),
        {.name = "format",
         .letter = 'f',
         .kind = TOOL_TEXT,
         .target = &s.format,
         .value = TOOL_LAYOUT_VALUE,
         .help = "of A: csr (default), or bsr:block=4"},
        {.name = "part",
         .kind = TOOL_CHOICE,
         .target = &t->given.detail,
         .value = "lower|upper",
         .help = "the triangle T of A (default lower)"},
        TOOL_TURN("unit", &s.unit, "T has ones on its diagonal; A's entries there do not count"),
        TOOL_TRANSPOSE(&s.op, "op(T) is the transpose of T"),
        TOOL_TRANS(&s.op, "op(T) is T"),
        TOOL_TURN("dominant", &t->dominant,
                  "first make each diagonal entry of A 1 and the sum of its row's magnitudes"),
        TOOL_FACTOR("alpha", &p->alpha, "1"),
        {.name = "vectors",
         .letter = 'K',
         .kind = TOOL_INT,
         .target = &t->given.block.vectors,
         .value = "K",
         .help = "columns of B and X (default 1)",
         .min = 1,
         .max = INT32_MAX},
        {.name = "layout",
         .letter = 'l',
         .kind = TOOL_CHOICE,
         .target = &s.layout,
         .value = "column|row",
         .help = "how B and X lie (default column)"},
        {.name = "b",
         .letter = 'b',
         .kind = TOOL_TEXT,
         .target = &p->b,
         .value = "VECTORS",
         .help = "random (default), ones, or a file with a matrix of that shape"},
        TOOL_OUTPUT(&t->output, "write X as a Matrix Market array"),
        TOOL_CHECK(&t->given.check),
        TOOL_REPEAT(&t->repeat, "0: none"),
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
    };
    const tool_command command = {
        .name = "trisolve",
        .operands = "MATRIX",
        .about =
            "Solves op(T) X = alpha B, T the lower or the upper triangle of a square sparse "
            "matrix\n"
            "A, once, and says so in a line. --check looks at what is left of every equation in\n"
            "long double, --repeat times more calls, and both say all that is known.\n"
            "The error is in units of the bound\n"
            "  gamma(n + 2) (|op(T)| |X| + |alpha| |B|), n the entries of the row of op(T):\n"
            "at most 1 is right; beyond 1 the exit code is 1. Where a triangle is not dominant,\n"
            "its solution may grow until it passes the type: --dominant prevents that. A level is\n"
            "the rows that can be solved together; the floor is the time that the machine needs "
            "to\n"
            "copy as many bytes as T, B and X have.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 1,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    tool_progress_allow(!s.common.quiet);
    return run(parsed.operand[0], &s);
}
