/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "batch_tasks.h"
#include "report_parts.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/table.h"
#include "tools/common/timing.h"

static const char *const examples[] = {
    "tulle batch p3d7:12 --check",
    "tulle batch blocks:4,6 --tasks 30 --format bsr:block=4 --on cpu:2 --type f32",
    "tulle batch p2d5:20 --tasks 200 --vectors 1 --layout column --json",
    NULL,
};

typedef struct summary {
    tulle_device_info device;
    tool_operand A;
    tool_batch batch;
    tool_batch_result result;
} summary;

static const char *const way_names[TOOL_BATCH_WAYS] = {"one_by_one", "grouped", "streams", "tasks",
                                                       "shared"};

#define WAY(title, key, more)                                                                      \
    "<  " title " {" key "_ms:ms}, {_" key ".one_ms:ms} a task, {_" key ".gbs:4g} GB/s<, {_" key   \
    ".faster:3g} times as fast>" more "\n>"

static const char text[] = TOOL_OPERAND_TEXT("A.") TOOL_PLACE_TEXT
    "  tasks     {tasks} times Y = A X, then R = Y'Y, {vectors} vector{vectors:plural} by {_layout}"
    ": {bytes:bytes}\n"
    "  error     <{!_verdict}not checked><{error:3g} of the bound: {_verdict}>\n" WAY(
        "one_by_one", "one_by_one", "") WAY("grouped   ", "grouped", "")
        WAY("streams   ", "streams", "") WAY("tasks     ", "tasks", "")
            WAY("shared    ", "shared",
                ", {by_cpu} of {_calls} by the CPU") "<  tasks      left out: {tasks_lacks}\n>";

static void add_way(cJSON *json, const summary *s, int way) {
    const tool_batch_result *r = &s->result;
    const double ms = r->ms[way];
    char name[TOOL_HUMAN];
    if (!r->there[way] || !(ms > 0)) return;
    snprintf(name, sizeof name, "%s_ms", way_names[way]);
    tool_json_real(json, name, ms);
    snprintf(name, sizeof name, "_%s", way_names[way]);
    cJSON *item = tool_json_child(json, name);
    tool_json_real(item, "one_ms", ms / (double)s->batch.tasks);
    tool_json_real(item, "gbs", 1e-6 * (double)r->bytes / ms);
    if (way != TOOL_ONE_BY_ONE) tool_json_real(item, "faster", r->ms[TOOL_ONE_BY_ONE] / ms);
}

static void add_fields(cJSON *json, const void *user) {
    const summary *s = user;
    const tool_batch_result *r = &s->result;
    tool_json_text(json, "op", "batch");
    tool_operand_add(json, "A", &s->A);
    tool_place_add(json, &s->device);
    tool_json_int(json, "tasks", s->batch.tasks);
    tool_json_int(json, "_calls", 2 * s->batch.tasks);
    tool_json_int(json, "vectors", s->batch.vectors);
    tool_json_text(json, "_layout", s->batch.layout == TULLE_ROW_MAJOR ? "row" : "column");
    tool_json_int(json, "bytes", r->bytes);
    for (int way = 0; way < TOOL_BATCH_WAYS; way++) add_way(json, s, way);
    if (r->lacks[0]) tool_json_text(json, "tasks_lacks", r->lacks);
    if (r->there[TOOL_SHARED]) tool_json_int(json, "by_cpu", r->by_cpu);
    if (!s->batch.check) return;
    tool_json_real(json, "error", r->error.units);
    tool_json_text(json, "_verdict", r->error.units <= 1 ? "right" : "WRONG");
}

static tulle_status work(tulle_ctx *ctx, const tool_common *common, const char *name, summary *s) {
    tulle_status status = tulle_ctx_device(ctx, &s->device);
    if (s->batch.repeat == TOOL_NOT_GIVEN) {
        s->batch.repeat = s->device.backend == TULLE_EMULATED ? 0 : 20;
    }
    if (status == TULLE_OK) status = tool_operand_open(ctx, common, name, &s->A);
    if (status == TULLE_OK) status = tool_batch_run(ctx, &s->A, &s->batch, &s->result);
    if (status == TULLE_OK) s->A.info = s->result.info; /* the matrix in its format */
    tool_operand_close(&s->A);
    return status;
}

int tulle_tool_batch(int argc, char **argv) {
    tool_common common = tool_common_defaults();
    summary s = {.batch = {.tasks = 128, .vectors = 4, .repeat = TOOL_NOT_GIVEN}};
    const char *format = NULL;
    int layout = TULLE_ROW_MAJOR;
    const tool_option options[] = {
        TOOL_ON(&common),
        {.name = "tasks",
         .kind = TOOL_INT,
         .target = &s.batch.tasks,
         .value = "N",
         .help = "copies of the matrix (default 128)",
         .min = 1,
         .max = 1000000},
        {.name = "vectors",
         .letter = 'K',
         .kind = TOOL_INT,
         .target = &s.batch.vectors,
         .value = "K",
         .help = "of each task, 1 to 32 (default 4)",
         .min = 1,
         .max = 32},
        {.name = "layout",
         .letter = 'l',
         .kind = TOOL_CHOICE,
         .target = &layout,
         .value = "column|row",
         .help = "how vectors lie (default row)"},
        {.name = "format",
         .letter = 'f',
         .kind = TOOL_TEXT,
         .target = &format,
         .value = TOOL_LAYOUT_VALUE,
         .help = "of the copies: csr (default), or as bsr:block=4"},
        TOOL_CHECK(&s.batch.check),
        TOOL_REPEAT(&s.batch.repeat, "20; on the emulator 0"),
        TOOL_TYPE(&common),
        TOOL_SEED(&common),
        TOOL_JSON(&common),
        TOOL_QUIET(&common),
    };
    const tool_command command = {
        .name = "batch",
        .operands = "MATRIX",
        .about =
            "Multiplies many copies of a matrix, each with multivectors of its own, Y = A X, and\n"
            "then R = Y'Y: call by call, and recorded as a batch that runs in one launch, on\n"
            "streams, by the kernels of paper 3, one block of threads for each task (tasks), "
            "where\n"
            "these take it: bsr:block=K with as many vectors, K 4, 8 or 16; or,\n"
            "all products and then all inner products, shared by the GPU and the CPU's threads.\n"
            "Times are of all tasks. --check compares every number of Y with the definition in\n"
            "long double; the exit code is 1 where one is wrong.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 1,
    };
    tulle_ctx *ctx = NULL;
    const tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    const int code = tool_layout_parse("batch", format, &s.batch.format);
    if (code != TOOL_OK) return code;
    const tool_layout of = tool_layout_or_csr(s.batch.format);
    if (of.format != TULLE_CSR && of.format != TULLE_BSR) {
        return tool_misuse("batch", "--format: a task takes csr or bsr:block=N, not %s", format);
    }
    tool_progress_allow(!common.quiet);
    s.batch.layout = (tulle_layout)layout;
    s.batch.seed = (uint64_t)common.seed;
    tulle_status status = tool_open_place(common.on, &ctx);
    if (status == TULLE_OK) status = work(ctx, &common, parsed.operand[0], &s);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    const tool_form form = {.add = add_fields, .text = text};
    const int reported = tool_report_fields(&common, &form, &s);
    return s.result.error.units <= 1 ? reported : TOOL_FAILED;
}
