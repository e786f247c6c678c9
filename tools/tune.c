/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/run.h"
#include "bench/session.h"
#include "bench/tuning.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/input.h"
#include "tools/common/progress.h"
#include "trials/spmv.h"

static const char *const examples[] = {
    "tulle tune p3d7:20",
    "tulle tune fem:500 --on cpu:1 --type f32 --mode online --json path.jsonl",
    "tulle tune p2d5:30 --on emulated --mode online --calls 5",
    "tulle tune p2d5:30 --cache t.txt && tulle tune p2d5:30 --cache t.txt",
    NULL,
};

typedef struct settings {
    bench_settings bench;
    bench_tuning_settings tuning;
    const char *cache;
    int op;
} settings;

static settings defaults(void) {
    return (settings){.bench = {.on = "auto",
                                .type = TULLE_F64,
                                .index = BENCH_ANY_INDEX,
                                .repeat = 20,
                                .seed = 1,
                                .seconds = 0.1,
                                .peers = "none"},
                      .tuning = {.search = TRIAL_BOTH},
                      .cache = "none"};
}

static tool_parsed parse(settings *s, int argc, char **argv) {
    bench_settings *bench = &s->bench;
    const tool_option options[] = {
        TOOL_ON(bench),
        TOOL_TYPE(bench),
        TOOL_TRANSPOSE(&s->op, "the product with the transposed matrix"),
        TOOL_TRANS(&s->op, "the product with A"),
        {.name = "mode",
         .kind = TOOL_CHOICE,
         .target = &s->tuning.search,
         .value = "online|exhaustive|both",
         .help = "which search (default both: online against exhaustive)"},
        {.name = "calls",
         .kind = TOOL_INT,
         .target = &s->tuning.calls,
         .value = "N",
         .help = "calls of the online search (default 0: until it has settled)",
         .min = 0,
         .max = BENCH_CALLS},
        {.name = "cache",
         .kind = TOOL_TEXT,
         .target = &s->cache,
         .value = "FILE",
         .help = "where results are kept: none (default), user, or a file"},
        {.name = "json",
         .kind = TOOL_FILE,
         .target = &bench->json,
         .value = "FILE",
         .help = "print a JSON line for each call, or append it to a file"},
        TOOL_SEED(bench),
        TOOL_QUIET(bench),
    };
    const tool_command command = {
        .name = "tune",
        .operands = "MATRIX",
        .about =
            "Shows how the run-time tuner finds a kernel and its parameters for y = A x. The "
            "online\n"
            "search times the calls that a solver makes anyway, and tries little that is slow; "
            "the\n"
            "exhaustive search tries everything and is the yardstick. One line for each call: "
            "what\n"
            "ran, how long the call took, how long it takes when it is measured alone (a median "
            "of\n"
            "many calls), the best known after the call, and how near that is to the best of all.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 1,
    };
    return tool_parse(&command, argc, argv);
}

static void settle(settings *s) {
    s->bench.trans = (tulle_trans)s->op;
    s->bench.budget = (tool_budget){.repeat = s->bench.repeat, .seconds = s->bench.seconds};
    s->tuning.cache = s->cache;
    if (strcmp(s->cache, "none") == 0) s->tuning.cache = "";
    if (strcmp(s->cache, "user") == 0) s->tuning.cache = NULL;
    tool_progress_allow(!s->bench.quiet);
}

static tulle_status search(const settings *s, const bench_session *session,
                           const bench_matrix *matrix, tulle_mat *A) {
    trial_problem problem;
    tulle_status status = trial_spmv_open(session->ctx, A, (tulle_trans)s->bench.trans,
                                          trial_one_vector, matrix->seed, true, &problem);
    if (status != TULLE_OK) return status;
    bench_tuning *tuning = tool_alloc(1, sizeof *tuning);
    tuning->place = &session->place;
    tuning->matrix = matrix;
    status = bench_tuning_run(&problem, &s->tuning, &s->bench.budget, tuning);
    if (status == TULLE_OK && session->table) bench_tuning_report(tuning);
    bool written =
        status != TULLE_OK || !session->json || bench_tuning_write(tuning, session->json);
    if (!written) status = tool_record(TULLE_IO_ERROR, "%s cannot be written", s->bench.json);
    free(tuning);
    trial_problem_close(&problem);
    return status;
}

static tulle_status run(const settings *s, bench_session *session, const char *argument) {
    bench_matrix matrix = {.seed = (uint64_t)s->bench.seed};
    tool_source source;
    tulle_mat *A = NULL;
    tulle_status status = tool_open_matrix(session->ctx, argument, (tulle_type)s->bench.type,
                                           matrix.seed, &A, &source);
    if (status != TULLE_OK) return status;
    matrix.source = source.kind;
    bench_name_matrix(argument, &source, &matrix);
    status = bench_session_measure_place(session);
    if (status == TULLE_OK) status = search(s, session, &matrix, A);
    tulle_mat_destroy(A);
    return status;
}

int tulle_tool_tune(int argc, char **argv) {
    settings s = defaults();
    tool_parsed parsed = parse(&s, argc, argv);
    if (parsed.stop) return parsed.code;
    settle(&s);
    bench_session session;
    int code = bench_session_open(&s.bench, &session);
    if (code != TOOL_OK) return code;
    tulle_status status = run(&s, &session, parsed.operand[0]);
    if (status != TULLE_OK) code = tool_fail(status);
    bench_session_close(&session);
    return code != TOOL_OK ? code : session.code;
}
