/* SPDX-License-Identifier: Apache-2.0 */
#include "done.h"
#include "factor_report.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/fill.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"

static const char *const examples[] = {
    "tulle factor p3d7:20 --check --repeat 20",
    "tulle factor p2d5:30 --kind cholesky --fill all --order amd --on cpu:2",
    "tulle factor random:400,400,3 --dominant --fill 1 --type f32 --json",
    "tulle factor p3d7:10 -f bsr:block=2 --inverted -k factor_rows --on cpu",
    "tulle factor p2d5:30 --modified 1 --output-l l.mtx --output-u u.mtx",
    NULL,
};

typedef struct settings {
    tool_common common;
    tool_factor_summary summary;
    int kind, reads, order;
    const char *format, *fill;
} settings;

/* Checks the numbers that flags take, and which flags go together. */
static int check(const tool_factor_summary *s) {
    const tool_layout *format = &s->trial.format;
    const tulle_factor_options *o = &s->options.factors;
    const bool lu = o->kind == TULLE_LU;
    if (!(o->modified >= 0 && o->modified <= 1)) {
        return tool_misuse("factor", "--modified: %g is not from 0 to 1", o->modified);
    }
    if (!(o->tiny >= 0 && o->tiny < 1)) {
        return tool_misuse("factor", "--tiny: %g is not from 0 to 1, 1 excluded", o->tiny);
    }
    if (o->boost && o->tiny == 0) {
        return tool_misuse("factor", "--boost: say what is tiny, too, as --tiny 1e-6");
    }
    if (!lu && o->modified > 0) return tool_misuse("factor", "--modified: is of --kind lu alone");
    if (!lu && s->output_u) {
        return tool_misuse("factor", "--output-u: of L L' there is L alone; see --output-l");
    }
    if (!lu && format->given && format->format == TULLE_BSR) {
        return tool_misuse("factor", "--format: L L' is of csr alone; see --kind lu");
    }
    return tool_layout_csr_or_bsr("factor", format);
}

static int parse(settings *s) {
    tool_layout *format = &s->summary.trial.format;
    trial_factor_options *o = &s->summary.options;
    int code = tool_layout_parse("factor", s->format, format);
    if (code == TOOL_OK) code = tool_fill_parse("factor", s->fill, &o->factors.fill);
    o->factors.kind = (tulle_factor_kind)s->kind;
    o->factors.reads = (tulle_reads)s->reads;
    o->order = (trial_order)s->order;
    if (code == TOOL_OK) code = check(&s->summary);
    *format = tool_layout_or_csr(*format);
    return code;
}

static tulle_status check_outputs(const tool_factor_summary *s) {
    tulle_status status = s->output_l ? tool_check_output(s->output_l) : TULLE_OK;
    return status == TULLE_OK && s->output_u ? tool_check_output(s->output_u) : status;
}

static int run(const char *name, settings *s) {
    tulle_ctx *ctx = NULL;
    tool_trial *t = &s->summary.trial;
    int code = parse(s);
    if (code != TOOL_OK) return code;
    tulle_status status = check_outputs(&s->summary);
    if (status == TULLE_OK) status = tool_open_place(s->common.on, &ctx);
    if (status == TULLE_OK) status = tool_trial_run(ctx, &s->common, name, t);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    const tool_done done = {.whole = t->given.check || t->repeat > 0,
                            .add = tool_factor_add,
                            .line = tool_factor_line,
                            .text = tool_factor_text};
    code = tool_report_done(&s->common, &done, &s->summary);
    return tool_trial_is_right(t) ? code : TOOL_FAILED;
}

int tulle_tool_factor(int argc, char **argv) {
    settings s = {.common = tool_common_defaults(),
                  .summary = {.trial = {.operation = &trial_operation_factor,
                                        .given = {.block = {.vectors = 1}},
                                        .noun = "task",
                                        .square = true,
                                        .refuse = tool_factor_refuse,
                                        .advise = tool_factor_advise,
                                        .work = tool_factor_work}}};
    tool_trial *t = &s.summary.trial;
    tulle_factor_options *o = &s.summary.options.factors;
    t->given.options = &s.summary.options;
    const tool_option options[] = {
        TOOL_ON(&s.common),
        TOOL_KERNEL(&t->kernel),
        {.name = "format",
         .letter = 'f',
         .kind = TOOL_TEXT,
         .target = &s.format,
         .value = TOOL_LAYOUT_VALUE,
         .help = "of A: csr (default), or bsr:block=4, which has factors of blocks"},
        {.name = "kind",
         .kind = TOOL_CHOICE,
         .target = &s.kind,
         .value = "lu|cholesky",
         .help = "L U (default), or L L' of a symmetric matrix, by its lower triangle"},
        {.name = "fill",
         .kind = TOOL_TEXT,
         .target = &s.fill,
         .value = "K|all",
         .help = "keep fill up to this level (default 0: none), or all"},
        {.name = "reads",
         .kind = TOOL_CHOICE,
         .target = &s.reads,
         .value = "all|lower|upper",
         .help = "which entries of A are read; a triangle stands for its mirror, too"},
        {.name = "order",
         .kind = TOOL_CHOICE,
         .target = &s.order,
         .value = TRIAL_ORDERS,
         .help = "how rows and columns lie (default none: as they are)"},
        TOOL_TURN("dominant", &t->dominant,
                  "first make diagonal entries 1 and the sum of their rows' magnitudes"),
        TOOL_FACTOR("modified", &o->modified, "0: share of dropped fill that goes to the diagonal"),
        TOOL_FACTOR("shift", &o->shift, "0: diagonal entries count 1 + NUMBER times"),
        TOOL_FACTOR("tiny", &o->tiny, "0: pivots up to this share of their row's largest are tiny"),
        TOOL_TURN("boost", &o->boost, "tiny pivots get the size that is no longer tiny"),
        TOOL_TURN("inverted", &o->inverted, "keep diagonal blocks of U inverted"),
        TOOL_TURN("single", &o->single, "keep f32 factors, whatever A's type"),
        {.name = "output-l",
         .kind = TOOL_TEXT,
         .target = &s.summary.output_l,
         .value = "FILE",
         .help = "write L: .mtx or .tulle; - for standard output",
         .replaces = true,
         .is_result = true},
        {.name = "output-u",
         .kind = TOOL_TEXT,
         .target = &s.summary.output_u,
         .value = "FILE",
         .help = "write U",
         .replaces = true,
         .is_result = true},
        TOOL_CHECK(&t->given.check),
        TOOL_REPEAT(&t->repeat, "0: none"),
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
    };
    const tool_command command = {
        .name = "factor",
        .operands = "MATRIX",
        .about =
            "Computes factors L U, or L L', of a square sparse matrix A once, and says so in a\n"
            "line. --check compares them entry by entry with A in long double, and judges them;\n"
            "--repeat times computing their values again and solving with them; both say all that\n"
            "is known. The error is in units of the bound\n"
            "  gamma(m + 2) |L| |U|, m the rows before that have a part in the entry:\n"
            "at most 1 is right; beyond 1 the exit code is 1. A level is the rows that can be\n"
            "computed together. Orders are reverse Cuthill-McKee (rcm) and, for little fill,\n"
            "minimum degree (amd) and nested dissection (nd). What the factors are worth as a\n"
            "preconditioner say two numbers:\n"
            "growth, the largest number of (L U)^-1 A z by that of z, z random, is about 1 of\n"
            "good factors, and large where solving is not stable; quality is the share of the\n"
            "residual that a step of Richardson's iteration, x := x + (L U)^-1 (b - A x), leaves,\n"
            "in the mean over 10 steps from x = 0, b being A times a random vector.",
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
