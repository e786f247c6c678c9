/* SPDX-License-Identifier: Apache-2.0 */
#include "multiply.h"

#include <inttypes.h>

#include "done.h"
#include "spmv_report.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/kernel_name.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"

typedef struct settings {
    tool_common common;
    tool_spmv_summary summary;
    bool repeatable;
    const char *rule, *format;
    int op, layout, y_layout; /* a tulle_trans and two tulle_layouts; y_layout may be LIKE_X */
} settings;

enum { LIKE_X = 2 };

/* A plan keeps its kernel; without one the kernel is forced. */
static tulle_status ask(tulle_ctx *ctx, tool_trial *trial, trial_task *task) {
    tool_spmv_summary *s = (tool_spmv_summary *)trial;
    task->spec = s->spec;
    if (trial->kernel) {
        const char *operation = trial->given.block.vectors > 1 ? "spmm" : "spmv";
        tool_kernel_spec(trial->device.backend, operation, trial->kernel, s->spec);
    }
    if (s->options.calls > 0) {
        task->by = TRIAL_OPTIMISE;
    } else if (s->plan) {
        task->by = TRIAL_PLAN;
    } else if (trial->kernel) {
        task->by = TRIAL_FORCED;
        return tulle_ctx_force_kernel(ctx, s->spec);
    }
    return TULLE_OK;
}

/* A kernel for the other operation may be forced and still not run. */
static tulle_status accept(tulle_ctx *ctx, tool_trial *trial, const trial_task *task) {
    tool_spmv_summary *s = (tool_spmv_summary *)trial;
    const char *spec = s->spec;
    s->choice = task->choice;
    s->plan_ms = task->prep_ms;
    trial->minimal_bytes = s->choice.minimal_bytes;
    if (spec[0] && !tool_kernel_means(spec, s->choice.kernel)) {
        return tool_record(TULLE_UNSUPPORTED, "%s takes no part in this product: %s would", spec,
                           s->choice.kernel);
    }
    if (!s->explain) return TULLE_OK;
    /* The explanation has the floor's time only if the bandwidth is known by then. */
    const tulle_status status = tool_bandwidth(ctx, &trial->copy_gbs);
    if (status != TULLE_OK) return status;
    return tool_explain(ctx, trial->given.trans, trial->given.A, &s->explanation);
}

static tulle_status advise(const tool_trial *trial, const trial_problem *problem,
                           tulle_status status) {
    (void)problem;
    if (status != TULLE_NEEDS_PLAN || !trial->kernel) return status;
    return tool_record(status, "%s runs with a plan only: --plan makes one", trial->kernel);
}

static tulle_status look(tool_trial *trial, const trial_problem *problem, void *y) {
    (void)y;
    ((tool_spmv_summary *)trial)->optimized = *trial_spmv_optimized(problem);
    return TULLE_OK;
}

/* Sets the format that was asked for, or the one that the kernel needs. */
static tulle_status set_up(tulle_ctx *ctx, settings *s) {
    tool_trial *t = &s->summary.trial;
    tulle_status status = tulle_ctx_device(ctx, &t->device);
    if (status == TULLE_OK) status = tulle_ctx_set_repeatable(ctx, s->repeatable);
    if (status == TULLE_OK && s->rule) status = tulle_ctx_set_rule(ctx, s->rule);
    if (t->kernel && !t->format.given) {
        (void)tool_layout_of_kernel(t->device.backend, t->kernel, &t->format);
    }
    return status;
}

static int run(const tool_multiply_command *kind, settings *s, const char *matrix) {
    tool_spmv_summary *summary = &s->summary;
    tool_trial *t = &summary->trial;
    int code = tool_layout_parse(kind->name, s->format, &t->format);
    if (code != TOOL_OK) return code;
    t->given.trans = (tulle_trans)s->op;
    t->given.block.layout = (tulle_layout)s->layout;
    summary->options.y_layout = (tulle_layout)(s->y_layout == LIKE_X ? s->layout : s->y_layout);
    tulle_ctx *ctx = NULL;
    tulle_status status =
        t->output ? tool_check_text_output(t->output, &tool_file_array) : TULLE_OK;
    if (status == TULLE_OK) status = tool_open_place(s->common.on, &ctx);
    if (status == TULLE_OK) status = set_up(ctx, s);
    if (status == TULLE_OK) status = tool_trial_run(ctx, &s->common, matrix, t);
    tulle_ctx_destroy(ctx);
    if (status == TULLE_OK) {
        const tool_done done = {.whole = t->given.check || t->repeat > 0 || summary->explain ||
                                         summary->plan || summary->options.calls > 0,
                                .add = tool_spmv_add,
                                .line = tool_spmv_line,
                                .text = tool_spmv_text};
        code = tool_report_done(&s->common, &done, summary);
    }
    tool_explanation_free(&summary->explanation);
    if (status != TULLE_OK) return tool_fail(status);
    return tool_trial_is_right(t) ? code : TOOL_FAILED;
}

int tool_multiply(const tool_multiply_command *kind, int argc, char **argv) {
    settings s = {.common = tool_common_defaults(),
                  .summary = {.trial = {.operation = &trial_operation_spmv,
                                        .given = {.block = {.vectors = kind->blocks ? 8 : 1}},
                                        .ask = ask,
                                        .accept = accept,
                                        .look = look,
                                        .advise = advise},
                              .options = trial_spmv_plain},
                  .layout = kind->blocks ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR,
                  .y_layout = LIKE_X};
    tool_trial *t = &s.summary.trial;
    trial_spmv_options *p = &s.summary.options;
    t->given.options = p;
    p->multivectors = kind->blocks;
    /* The first OF_VECTORS are for vectors alone, the last OF_BLOCKS are for blocks. */
    const tool_option options[] = {
        {.name = "plan",
         .kind = TOOL_FLAG,
         .target = &s.summary.plan,
         .help = "build a plan first"},
        {.name = "optimize",
         .kind = TOOL_INT,
         .target = &p->calls,
         .value = "CALLS",
         .help = "choose and build the plan that pays for so many calls, and say why",
         .min = 1,
         .max = INT64_MAX},
        {.name = "explain",
         .kind = TOOL_FLAG,
         .target = &s.summary.explain,
         .help = "say why this kernel, and what others would cost by their models"},
        TOOL_ON(&s.common),
        TOOL_KERNEL(&t->kernel),
        {.name = "format",
         .letter = 'f',
         .kind = TOOL_TEXT,
         .target = &s.format,
         .value = TOOL_LAYOUT_VALUE,
         .help = TOOL_LAYOUT_HELP},
        {.name = "rule",
         .kind = TOOL_TEXT,
         .target = &s.rule,
         .value = "NAME",
         .help = "the rule that picks the kernel: tulle (default) or reguly_giles"},
        {.name = "repeatable",
         .kind = TOOL_FLAG,
         .target = &s.repeatable,
         .help = "only what is bitwise the same from run to run"},
        TOOL_TRANSPOSE(&s.op, "op(A) is the transpose of A"),
        TOOL_TRANS(&s.op, "op(A) is A"),
        TOOL_FACTOR("alpha", &p->alpha, "1"),
        TOOL_FACTOR("beta", &p->beta, "0"),
        {.name = "x",
         .letter = 'x',
         .kind = TOOL_TEXT,
         .target = &p->x,
         .value = "VECTOR",
         .help = "random (default), ones, or a file with a matrix of that shape"},
        {.name = "y",
         .letter = 'y',
         .kind = TOOL_TEXT,
         .target = &p->y,
         .value = "VECTOR",
         .help = "what y is before, where beta is not 0; as for x"},
        TOOL_OUTPUT(&t->output, "write the result y as a Matrix Market array"),
        TOOL_CHECK(&t->given.check),
        TOOL_REPEAT(&t->repeat, "0: none"),
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
        {.name = "vectors",
         .letter = 'K',
         .kind = TOOL_INT,
         .target = &t->given.block.vectors,
         .value = "K",
         .help = "columns of X and Y (default 8)",
         .min = 1,
         .max = INT32_MAX},
        {.name = "layout",
         .letter = 'l',
         .kind = TOOL_CHOICE,
         .target = &s.layout,
         .value = "column|row",
         .help = "how X and Y lie: by columns or by rows (default row)"},
        {.name = "y-layout",
         .kind = TOOL_CHOICE,
         .target = &s.y_layout,
         .value = "column|row",
         .help = "how Y lies, where that is not as X"},
    };
    enum { OPTIONS = sizeof options / sizeof *options, OF_VECTORS = 3, OF_BLOCKS = 3 };
    const tool_command command = {
        .name = kind->name,
        .operands = "MATRIX",
        .about = kind->about,
        .examples = kind->examples,
        .options = options + (kind->blocks ? OF_VECTORS : 0),
        .option_count = OPTIONS - (kind->blocks ? OF_VECTORS : OF_BLOCKS),
        .min_operands = 1,
        .max_operands = 1,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    tool_progress_allow(!s.common.quiet);
    return run(kind, &s, parsed.operand[0]);
}
