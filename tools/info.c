/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "info_report.h"
#include "picture.h"
#include "subcommands.h"
#include "svg.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/say.h"
#include "trials/order.h"

static const char *const examples[] = {
    "tulle info p3d7:20",
    "tulle info rmat:10,8 --ascii --seed 3",
    "tulle info p2d5:100 --svg pattern.svg",
    "tulle info fem:500 --rcm",
    "tulle gen fem:500 mesh.mtx.gz && tulle info mesh.mtx.gz --json",
    NULL,
};

typedef struct settings {
    tool_common common;
    bool ascii, no_picture, rcm;
    const char *svg;
} settings;

const char *tool_info_pattern(const tool_info_report *report) {
    const tulle_facts *f = &report->facts;
    if (report->info.rows != report->info.cols) return "rectangular";
    return f->mirrored == f->off_diagonal ? "symmetric" : "unsymmetric";
}

const char *tool_info_values(const tool_info_report *report) {
    const tulle_facts *f = &report->facts;
    if (report->info.rows != report->info.cols) return "rectangular";
    if (f->equal == f->off_diagonal) return "symmetric";
    const bool skew = f->opposite == f->off_diagonal && f->diagonal == f->diagonal_zero;
    return skew ? "skew-symmetric" : "unsymmetric";
}

/* The device that the advice is for need not be where the matrix is. */
static tulle_status advise(const settings *s, tool_info_report *report) {
    tulle_ctx *device = NULL;
    tulle_status status = tool_open_place(s->common.on, &device);
    if (status == TULLE_OK) {
        status = tool_advise(device, &report->info, &report->formats, &report->advice);
    }
    if (status == TULLE_TOO_LARGE) {
        report->advice.count = 0;
        snprintf(report->no_advice, sizeof report->no_advice, "%s", tool_error_line());
        status = TULLE_OK;
    }
    tulle_ctx_destroy(device);
    return status;
}

/* Finds what the matrix would be like in the reverse Cuthill-McKee order. */
static tulle_status try_rcm(tulle_ctx *ctx, const tulle_mat *A, tool_info_report *report) {
    tulle_mat *B = NULL;
    tulle_mat_info info;
    tulle_status status = trial_order_apply(ctx, A, TRIAL_ORDER_RCM, &B, NULL);
    if (status == TULLE_OK) status = tulle_mat_describe(B, &info);
    if (status == TULLE_OK) status = paper_traffic_of(ctx, B, 0, &report->rcm_traffic);
    tulle_mat_destroy(B);
    if (status != TULLE_OK) return status;
    report->rcm = true;
    report->rcm_bandwidth = info.bandwidth;
    return TULLE_OK;
}

static tulle_status examine(tulle_ctx *ctx, const settings *s, const tulle_mat *A,
                            tool_info_report *report) {
    tulle_status status = tulle_mat_facts(ctx, A, &report->facts);
    tool_progress_end();
    if (status == TULLE_OK && report->info.format == TULLE_CSR) {
        status = paper_traffic_of(ctx, A, 0, &report->traffic);
    }
    if (status == TULLE_OK) status = tool_list_formats(ctx, A, &report->info, &report->formats);
    if (status == TULLE_OK && s->rcm) status = try_rcm(ctx, A, report);
    return status == TULLE_OK ? advise(s, report) : status;
}

/* Holds what is known of a matrix, which is drawn, too. */
typedef struct page {
    const settings *settings;
    const tool_csr *csr;
    const tool_info_report *report;
    tulle_status *drawn;
} page;

static void add_fields(cJSON *json, const void *user) {
    tool_info_add(json, ((const page *)user)->report);
}

static void print_more(const cJSON *fields, const void *user) {
    const page *p = user;
    tool_terminal terminal = tool_terminal_of(tool_said());
    terminal.utf8 = terminal.utf8 && !p->settings->ascii;
    tool_info_print_histogram(&p->report->info, terminal);
    tool_info_print_advice(fields, p->report);
    if (p->settings->no_picture) return;
    tool_say("\nPattern\n");
    *p->drawn = tool_print_picture(p->csr, terminal, tool_said());
}

static tulle_status print_report(const settings *s, const tool_csr *csr,
                                 const tool_info_report *report, int *code) {
    tulle_status drawn = TULLE_OK;
    const page all = {s, csr, report, &drawn};
    const tool_form form = {.add = add_fields, .text = tool_info_text, .more = print_more};
    *code = tool_report_fields(&s->common, &form, &all);
    return drawn;
}

static tulle_status report_on(tulle_ctx *ctx, const settings *s, const tulle_mat *A,
                              tool_info_report *report, int *code) {
    tool_csr csr = {0};
    tulle_status status = tulle_mat_describe(A, &report->info);
    if (status == TULLE_OK) status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) status = examine(ctx, s, A, report);
    if (status == TULLE_OK && s->svg) status = tool_write_svg(&csr, report->name, s->svg);
    if (status == TULLE_OK) status = print_report(s, &csr, report, code);
    tool_csr_close(&csr);
    return status;
}

static tulle_status inform(const settings *s, const char *argument, int *code) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tool_info_report report = {.name = argument};
    tulle_status status = s->svg ? tool_check_text_output(s->svg, &tool_file_svg) : TULLE_OK;
    if (status == TULLE_OK) status = tool_open_place("cpu", &ctx);
    if (status == TULLE_OK) {
        status = tool_open_matrix(ctx, argument, (tulle_type)s->common.type,
                                  (uint64_t)s->common.seed, &A, &report.source);
    }
    if (status == TULLE_OK) status = tulle_mat_describe(A, &report.stored);
    if (status == TULLE_OK) status = tool_unfold_blocks(ctx, &A);
    if (status == TULLE_OK) status = report_on(ctx, s, A, &report, code);
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
        {.name = "svg",
         .kind = TOOL_TEXT,
         .target = &s.svg,
         .value = "FILE",
         .help = "also write the pattern as an SVG picture; - for standard output",
         .replaces = true,
         .is_result = true},
        {.name = "rcm",
         .kind = TOOL_FLAG,
         .target = &s.rcm,
         .help = "also say what the reverse Cuthill-McKee order would do (see tulle convert)"},
        TOOL_ON(&s.common),
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
            "bandwidth, memory in each format, the bytes of a product y = A x (at the least, and\n"
            "through cache lines), the format and the kernel to take and why, and a picture of "
            "the\n"
            "pattern. For a file also what its head says and how fast it was read. The advice is\n"
            "for PLACE, by the models of the library's kernels; another format than csr must save\n"
            "15 %.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 1,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    tool_progress_allow(!s.common.quiet);
    int code = TOOL_OK;
    tulle_status status = inform(&s, parsed.operand[0], &code);
    return status == TULLE_OK ? code : tool_fail(status);
}
