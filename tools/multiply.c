/* SPDX-License-Identifier: Apache-2.0 */
#include "multiply.h"

#include "done.h"
#include "room.h"
#include "spmv_report.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/input.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"

typedef struct settings {
    tool_common common;
    tool_product product;
    bool repeatable;
    const char *rule, *format;
    int op, layout, y_layout; /* tulle_trans; tulle_layout; LIKE_X */
} settings;

enum { LIKE_X = 2 };

static tulle_status set_up(tulle_ctx *ctx, const settings *s, tool_spmv_report *report) {
    tulle_status status = tulle_ctx_device(ctx, &report->device);
    if (status == TULLE_OK) status = tulle_ctx_set_repeatable(ctx, s->repeatable);
    if (status == TULLE_OK && s->rule) status = tulle_ctx_set_rule(ctx, s->rule);
    report->product = s->product;
    report->product.op = (tulle_trans)s->op;
    report->product.seed = (uint64_t)s->common.seed;
    return status;
}

static tulle_status multiply(tulle_ctx *ctx, const settings *s, tool_spmv_report *report) {
    tulle_mat *A = NULL;
    tulle_status status = set_up(ctx, s, report);
    if (status == TULLE_OK) {
        status = tool_open_matrix(ctx, report->matrix, (tulle_type)s->common.type,
                                  report->product.seed, &A, &report->source);
    }
    if (status == TULLE_OK) status = tulle_mat_describe(A, &report->info);
    if (status == TULLE_OK) {
        status = tool_check_room(&report->device, &report->info, &report->product);
    }
    /* The explanation has the floor's time only if the bandwidth is known by then. */
    if (status == TULLE_OK && report->product.explain) {
        status = tool_bandwidth(ctx, &report->copy_gbs);
    }
    if (status == TULLE_OK) status = tool_run_product(ctx, A, &report->product, &report->result);
    tulle_mat_destroy(A);
    if (status == TULLE_OK && report->product.repeat > 0) {
        status = tool_bandwidth(ctx, &report->copy_gbs);
    }
    return status;
}

static int run(const tool_multiply_command *kind, settings *s, const char *matrix) {
    int code = tool_layout_parse(kind->name, s->format, &s->product.layout);
    if (code != TOOL_OK) return code;
    s->product.x_layout = (tulle_layout)s->layout;
    s->product.y_layout = (tulle_layout)(s->y_layout == LIKE_X ? s->layout : s->y_layout);
    tulle_ctx *ctx = NULL;
    tool_spmv_report report = {.matrix = matrix};
    const char *output = s->product.output;
    tulle_status status = output ? tool_check_text_output(output, &tool_file_array) : TULLE_OK;
    if (status == TULLE_OK) status = tool_open_place(s->common.on, &ctx);
    if (status == TULLE_OK) status = multiply(ctx, s, &report);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) {
        tool_explanation_free(&report.result.explanation);
        return tool_fail(status);
    }
    const tool_product *p = &s->product;
    const tool_done done = {
        .whole = p->check || p->repeat > 0 || p->explain || p->plan || p->optimize > 0,
        .json = tool_spmv_print_json,
        .text = tool_spmv_print,
        .line = tool_spmv_print_line};
    code = tool_report_done(&s->common, &done, &report);
    tool_explanation_free(&report.result.explanation);
    return report.result.error.units <= 1 ? code : TOOL_FAILED;
}

int tool_multiply(const tool_multiply_command *kind, int argc, char **argv) {
    settings s = {
        .common = tool_common_defaults(),
        .product = {.alpha = 1, .x = "random", .y = "random", .vectors = kind->blocks ? 8 : 0},
        .layout = kind->blocks ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR,
        .y_layout = LIKE_X};
    tool_product *p = &s.product;
    /* The first OF_VECTORS are for vectors alone, the last OF_BLOCKS are for blocks. */
    const tool_option options[] = {
        {.name = "plan", .kind = TOOL_FLAG, .target = &p->plan, .help = "build a plan first"},
        {.name = "optimize",
         .kind = TOOL_INT,
         .target = &p->optimize,
         .value = "CALLS",
         .help = "choose and build the plan that pays for so many calls, and say why",
         .min = 1,
         .max = INT64_MAX},
        {.name = "explain",
         .kind = TOOL_FLAG,
         .target = &p->explain,
         .help = "say why this kernel, and what others would cost by their models"},
        TOOL_ON(&s.common),
        TOOL_KERNEL(&p->kernel),
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
        TOOL_OUTPUT(&p->output, "write the result y as a Matrix Market array"),
        TOOL_CHECK(&p->check),
        TOOL_REPEAT(&p->repeat, "0: none"),
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
        {.name = "vectors",
         .letter = 'K',
         .kind = TOOL_INT,
         .target = &p->vectors,
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
