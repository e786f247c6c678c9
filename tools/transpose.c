/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "sparse_command.h"
#include "sparse_report.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"

static const char *const examples[] = {
    "tulle transpose p3d7:20 --check --repeat 10",
    "tulle transpose rmat:10,8 --on cpu:1 --type f32 --json",
    "tulle gen random:60,40,5 wide.mtx && tulle transpose wide.mtx -o tall.mtx",
    NULL,
};

/* A call of the command, and its results. */
typedef struct summary {
    tool_sparse_settings settings;
    const char *name; /* name of the matrix */
    tulle_device_info device;
    tool_sparse sparse;
    tool_sparse_result result;
    double copy_gbs; /* bandwidth of a copy on this machine, in GB/s; 0: not known */
} summary;

static tulle_status check_room(const tool_sparse *s) {
    char what[64];
    snprintf(what, sizeof what, "the transpose of %" PRId64 " columns", s->A.info.cols);
    return tool_sparse_check_room(s, 0, what);
}

static tulle_status turn(tulle_ctx *ctx, void *user) {
    summary *all = user;
    tool_sparse *sparse = &all->sparse;
    tulle_status status = tulle_ctx_device(ctx, &all->device);
    tool_sparse_set_up(&all->settings, sparse);
    sparse->operation = &trial_operation_transpose;
    sparse->result = 'B';
    sparse->exact = true;
    sparse->alone = true;
    if (status == TULLE_OK) {
        status = tool_operand_open(ctx, &all->settings.common, all->name, &sparse->A);
    }
    if (status == TULLE_OK) status = check_room(sparse);
    if (status == TULLE_OK) status = tool_sparse_run(ctx, sparse, NULL, &all->result);
    tool_sparse_close(sparse);
    if (status == TULLE_OK && sparse->repeat > 0) status = tool_bandwidth(ctx, &all->copy_gbs);
    return status;
}

static const char line_text[] =
    "B = A'" TOOL_SPARSE_LINE_TEXT("b") TOOL_DONE_TEXT TOOL_SPARSE_WRITTEN_TEXT;

static const char whole_text[] = TOOL_OPERAND_TEXT("a.") TOOL_PLACE_TEXT
    "  B         " TOOL_MATRIX_TEXT("b.") "\n" TOOL_MATRIX_ERROR_TEXT("B")
        TOOL_SPARSE_WRITTEN_TEXT TOOL_SPARSE_MEMORY_TEXT("B")
            TOOL_TIMES_TEXT TOOL_SPARSE_FLOOR_TEXT;

static void add_fields(cJSON *json, const void *user) {
    const summary *s = user;
    tool_json_text(json, "op", "transpose");
    tool_sparse_add_matrices(json, &s->sparse, &s->result);
    tool_place_add(json, &s->device);
    tool_sparse_add_result(json, &s->sparse, &s->result, 0);
    tool_sparse_add_times(json, &s->sparse, &s->result);
    tool_sparse_add_floor(json, &s->sparse, &s->result, &s->device, s->copy_gbs);
}

int tulle_tool_transpose(int argc, char **argv) {
    summary all = {.settings = tool_sparse_defaults()};
    tool_sparse_settings *s = &all.settings;
    s->transpose_a = true; /* B is op(A) with op = T */
    const tool_option options[] = {
        TOOL_ON(&s->common),
        TOOL_OUTPUT(&all.sparse.output, "write B, as tulle convert does: .mtx or .tulle"),
        TOOL_CHECK(&s->check),
        TOOL_REPEAT(&s->repeat, "0: none"),
        TOOL_TYPE(&s->common),
        TOOL_SEED(&s->common),
        TOOL_JSON(&s->common),
        TOOL_QUIET(&s->common),
    };
    const tool_command command = {
        .name = "transpose",
        .operands = "MATRIX",
        .about =
            "Computes B, the transpose of a sparse matrix, once, and says so in a line. --check\n"
            "looks whether it has the same entries, bit by bit and sorted by row and column, and\n"
            "if not the exit code is 1; --repeat times more calls; both say all that is known.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 1,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    all.name = parsed.operand[0];
    tool_progress_allow(!s->common.quiet);
    const tool_sparse_command does = {.work = turn,
                                      .add = add_fields,
                                      .line = line_text,
                                      .text = whole_text,
                                      .sparse = &all.sparse,
                                      .result = &all.result,
                                      .user = &all,
                                      .summary = &all};
    return tool_sparse_do(&s->common, all.sparse.output, &does);
}
