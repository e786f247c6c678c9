/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "core/available.h"
#include "report_parts.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/table.h"
#include "tools/common/timing.h"
#include "trial.h"
#include "trials/batch_copies.h"

static const char *const examples[] = {
    "tulle batch p3d7:12 --check",
    "tulle batch blocks:4,6 --tasks 30 --format bsr:block=4 --on cpu:2 --type f32",
    "tulle batch p2d5:20 --tasks 200 --vectors 1 --layout column --json",
    NULL,
};

/* Settings and results of the command. The trial is the first member, so the trial's address is the
 * summary's. */
typedef struct summary {
    tool_trial trial;
    double ms[TRIAL_COPIES_WAYS]; /* time of all tasks, in milliseconds; 0: not timed */
    char lacks[400];              /* reason why no published kernel takes the tasks; "": some do */
    int by_cpu; /* number of tasks that CPU threads took in the last shared run; -1: none was */
} summary;

static const char text[] = TOOL_OPERAND_TEXT("A.") TOOL_PLACE_TEXT
    "  tasks     {tasks} times Y = A X, then R = Y'Y, {vectors} vector{vectors:plural} by {_layout}"
    ": {bytes:bytes}\n"
    "  error     <{!_verdict}not checked><{error:3g} of the bound: {_verdict}>\n"
    "<{*_ways}  {name} {ms:ms}, {one_ms:ms} a task, {gbs:4g} GB/s<, {faster:3g} times as fast>"
    "<, {by_cpu} of {calls} by the CPU>\n>"
    "<  tasks      left out: {tasks_lacks}\n>";

/* Adds a way that was timed, and for the text its speed. */
static void add_way(cJSON *json, cJSON *ways, const summary *s, int way) {
    const tool_trial *t = &s->trial;
    const double ms = s->ms[way];
    char key[TOOL_HUMAN], name[TOOL_HUMAN];
    if (!(ms > 0)) return;
    snprintf(key, sizeof key, "%s_ms", t->operation->detail[way]);
    snprintf(name, sizeof name, "%-10s", t->operation->detail[way]);
    tool_json_real(json, key, ms);
    cJSON *item = tool_json_item(ways);
    tool_json_text(item, "name", name);
    tool_json_real(item, "ms", ms);
    tool_json_real(item, "one_ms", ms / (double)t->given.count);
    tool_json_real(item, "gbs", 1e-6 * (double)t->minimal_bytes / ms);
    if (way > 0) tool_json_real(item, "faster", s->ms[TRIAL_COPIES_ONE_BY_ONE] / ms);
    if (way != TRIAL_COPIES_SHARED) return;
    tool_json_int(item, "by_cpu", s->by_cpu);
    tool_json_int(item, "calls", 2 * t->given.count);
}

static void add_fields(cJSON *json, const void *user) {
    const summary *s = user;
    const tool_trial *t = &s->trial;
    tool_operand A = t->A;
    A.info = t->info; /* the matrix in its format */
    tool_json_text(json, "op", "batch");
    tool_operand_add(json, "A", &A);
    tool_place_add(json, &t->device);
    tool_json_int(json, "tasks", t->given.count);
    tool_json_int(json, "vectors", t->given.block.vectors);
    tool_json_text(json, "_layout", t->given.block.layout == TULLE_ROW_MAJOR ? "row" : "column");
    tool_json_int(json, "bytes", t->minimal_bytes);
    cJSON *ways = tool_json_list(json, "_ways");
    for (int way = 0; way < TRIAL_COPIES_WAYS; way++) add_way(json, ways, s, way);
    if (s->lacks[0]) tool_json_text(json, "tasks_lacks", s->lacks);
    if (s->by_cpu >= 0) tool_json_int(json, "by_cpu", s->by_cpu);
    if (!t->given.check) return;
    tool_json_real(json, "error", t->units);
    tool_json_text(json, "_verdict", tool_trial_is_right(t) ? "right" : "WRONG");
}

/* Copies and multivectors need room where they are the host's. */
static tulle_status refuse(const tool_trial *t) {
    const int64_t room = tulle__cpu_available();
    const int64_t need = trial_copies_bytes(&t->A.info, t->given.count, t->given.block.vectors);
    char wanted[TOOL_HUMAN], available[TOOL_HUMAN];
    if (t->device.backend == TULLE_CUDA || room <= 0 || need <= room) return TULLE_OK;
    return tool_record(TULLE_TOO_LARGE,
                       "%" PRId64 " tasks take %s, and this machine has %s of memory available",
                       t->given.count, tool_human_bytes((double)need, wanted),
                       tool_human_bytes((double)room, available));
}

/* Checks the results of a way, and keeps the worst error of all ways. */
static tulle_status check(summary *s, const trial_problem *p, const trial_task *task) {
    double units = 0;
    const tulle_status status = p->operation->error(p, task->state, &units);
    if (status == TULLE_OK && !(units <= s->trial.units)) s->trial.units = units;
    return status;
}

static tulle_status run_prepared(summary *s, const trial_problem *p, const trial_task *task) {
    const int way = p->detail;
    tool_timing timing = {.ms = 0};
    tulle_status status = trial_problem_reset(p);
    if (status == TULLE_OK) status = p->operation->run(task->state);
    if (status == TULLE_UNSUPPORTED && way == TRIAL_COPIES_TASKS) {
        /* Only tasks of the paper have published kernels. */
        snprintf(s->lacks, sizeof s->lacks, "%s", tool_error_line());
        return TULLE_OK;
    }
    if (status == TULLE_OK) status = check(s, p, task);
    if (status == TULLE_OK && s->trial.repeat > 0) {
        status = tool_time(p->ctx, (int)s->trial.repeat, p->operation->run, task->state, &timing);
    }
    s->ms[way] = timing.ms;
    if (way == TRIAL_COPIES_SHARED) s->by_cpu = trial_copies_by_cpu(task);
    return status;
}

static tulle_status run_way(summary *s, const trial_problem *problem, int way) {
    trial_problem p = *problem;
    trial_task task = {.by = TRIAL_RULE};
    p.detail = way;
    tulle_status status = p.operation->prepare(&p, &task);
    if (status != TULLE_OK) return status;
    status = run_prepared(s, &p, &task);
    p.operation->finish(task.state);
    return status;
}

/* Runs and checks all ways that the place has: on a CPU all ways of a batch are one. */
static tulle_status work(tool_trial *t, const trial_problem *problem, trial_task *task) {
    (void)task;
    const bool cpu = t->device.backend == TULLE_CPU;
    const int ways = cpu ? TRIAL_COPIES_GROUPED + 1 : TRIAL_COPIES_WAYS;
    tulle_status status = TULLE_OK;
    if (t->repeat == TOOL_NOT_GIVEN) t->repeat = t->device.backend == TULLE_EMULATED ? 0 : 20;
    for (int way = 0; way < ways && status == TULLE_OK; way++) {
        status = run_way((summary *)t, problem, way);
    }
    return status;
}

int tulle_tool_batch(int argc, char **argv) {
    tool_common common = tool_common_defaults();
    summary s = {.trial = {.operation = &trial_operation_batch_copies,
                           .given = {.count = 128, .block = {.vectors = 4}},
                           .repeat = TOOL_NOT_GIVEN,
                           .refuse = refuse,
                           .work = work},
                 .by_cpu = -1};
    tool_trial *t = &s.trial;
    const char *format = NULL;
    int layout = TULLE_ROW_MAJOR;
    const tool_option options[] = {
        TOOL_ON(&common),
        {.name = "tasks",
         .kind = TOOL_INT,
         .target = &t->given.count,
         .value = "N",
         .help = "copies of the matrix (default 128)",
         .min = 1,
         .max = 1000000},
        {.name = "vectors",
         .letter = 'K',
         .kind = TOOL_INT,
         .target = &t->given.block.vectors,
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
        TOOL_CHECK(&t->given.check),
        TOOL_REPEAT(&t->repeat, "20; on the emulator 0"),
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
            "Times are of all tasks. --check compares every number of Y and R of every way with "
            "the\n"
            "definition in long double; the exit code is 1 where one is wrong.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 1,
    };
    tulle_ctx *ctx = NULL;
    const tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    const int code = tool_layout_parse("batch", format, &t->format);
    if (code != TOOL_OK) return code;
    t->format = tool_layout_or_csr(t->format);
    if (t->format.format != TULLE_CSR && t->format.format != TULLE_BSR) {
        return tool_misuse("batch", "--format: a task takes csr or bsr:block=N, not %s", format);
    }
    tool_progress_allow(!common.quiet);
    t->given.block.layout = (tulle_layout)layout;
    tulle_status status = tool_open_place(common.on, &ctx);
    if (status == TULLE_OK) status = tool_trial_run(ctx, &common, parsed.operand[0], t);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    const tool_form form = {.add = add_fields, .text = text};
    const int reported = tool_report_fields(&common, &form, &s);
    return tool_trial_is_right(t) ? reported : TOOL_FAILED;
}
