/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bench/batches.h"
#include "bench/layouts.h"
#include "bench/peers.h"
#include "bench/run.h"
#include "bench_fields.h"
#include "bench_pages.h"
#include "bench_shared.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/fill.h"
#include "tools/common/numbers.h"
#include "tools/common/progress.h"
#include "trials/making.h"
#include "trials/op.h"

static const char one_vector[] = "1";

static bench_settings defaults(void) {
    return (bench_settings){.on = "auto",
                            .type = TRIAL_BOTH_TYPES,
                            .trans = TULLE_N,
                            .index = BENCH_ANY_INDEX,
                            .repeat = 20,
                            .seed = 1,
                            .seconds = 0.2,
                            .vectors = one_vector,
                            .layouts = "row",
                            .peers = "all"};
}

static int check_shard(bench_settings *settings) {
    settings->shard_number = settings->shard_count = 1;
    if (!settings->shard) return TOOL_OK;
    const size_t length = strcspn(settings->shard, "/");
    const char *slash = settings->shard + length;
    if (*slash != '/' || !tool_parse_int(slash + 1, 1, INT64_MAX, &settings->shard_count) ||
        !tool_parse_int_of(settings->shard, length, 1, settings->shard_count,
                           &settings->shard_number)) {
        return tool_misuse("bench", "--shard: '%s' is not i/n with 1 <= i <= n", settings->shard);
    }
    return TOOL_OK;
}

static int parse_op(bench_settings *s) {
    s->op = trial_op_of(s->operation);
    if (s->op >= 0) return TOOL_OK;
    char names[TRIAL_OP_NAMES];
    const char *close = trial_op_suggestion(s->operation);
    if (*close) {
        return tool_misuse("bench", "--op: there is no operation '%s'%s", s->operation, close);
    }
    return tool_misuse("bench", "--op: there is no operation '%s'; there are %s", s->operation,
                       trial_op_names(names));
}

/* True when an operation is on matrices in BSR alone. */
static bool wants_blocks(const bench_settings *s) {
    return trial_op_wants_bsr(s->operation) || trial_operation_of(s->op)->in_blocks;
}

/* Gives an operation on blocks its usual format, where the command line has none: BSR; and spmm_bsr
 * as many vectors as a block has rows, for which any number above one stands. */
static void take_blocks(bench_settings *s) {
    static const char several[] = "2";
    if (!wants_blocks(s)) return;
    if (s->formats.count == 0) s->formats.item[s->formats.count++] = tulle_format_name(TULLE_BSR);
    if (!trial_op_wants_bsr(s->operation)) return;
    s->own_vectors = s->vectors == one_vector;
    if (s->own_vectors) s->vectors = several;
}

/* True when an operation takes an option that not every operation takes. */
static bool takes(int op, const char *option) {
    const trial_operation *operation = trial_operation_of(op);
    const bool products = operation == &trial_operation_spmv;
    const struct {
        const char *option;
        bool taken;
    } options[] = {
        {"with", operation->makes && operation->makes->together},
        {"trans", operation->transposed},
        {"transpose", operation->transposed},
        {"explain", products},
        {"format",
         operation->in_blocks || (!operation->makes && !operation->sized && !operation->meshes)},
        {"vectors", operation->blocks},
        {"layout", operation->blocks},
        {"part", operation == &trial_operation_trisolve},
        {"kind", operation == &trial_operation_factor},
        {"precond", operation->iterates},
        {"fill", operation == &trial_operation_factor},
        {"hierarchy", operation->hierarchy},
        {"give-up", operation->makes},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(option, options[i].option) == 0) return options[i].taken;
    }
    return true;
}

static int check_op(const bench_settings *s) {
    const struct {
        const char *option;
        bool given;
    } options[] = {
        {"with", s->second != NULL},
        {"trans", s->trans != TULLE_N},
        {"explain", s->explain},
        {"format", s->formats.count > 0},
        {"vectors", strcmp(s->vectors, one_vector) != 0},
        {"part", s->wish.part != TULLE_LOWER},
        {"kind", s->wish.kind != TULLE_LU},
        {"precond", s->wish.precond != 0},
        {"fill", s->fills != NULL},
        {"hierarchy", s->hierarchy.text != NULL},
        {"give-up", s->give_up > 0},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].given || takes(s->op, options[i].option)) continue;
        return tool_misuse("bench", "--%s is not for --op %s", options[i].option, s->operation);
    }
    if (trial_op_wants_vectors(s->operation) && strcmp(s->vectors, one_vector) == 0) {
        return tool_misuse("bench", "--op %s: say with how many vectors, as --vectors 4",
                           s->operation);
    }
    return TOOL_OK;
}

static int check_blocks(const bench_settings *s) {
    tool_layout layout = {.given = false};
    for (int i = 0; wants_blocks(s) && i < s->formats.count; i++) {
        const char *text = s->formats.item[i];
        bool all = strcmp(text, "all") == 0;
        int code = all ? TOOL_OK : tool_layout_parse("bench", text, &layout);
        if (code != TOOL_OK) return code;
        if (layout.format == TULLE_BSR && !all) continue;
        return tool_misuse("bench", "--format: --op %s takes bsr:block=N, not %s", s->operation,
                           text);
    }
    return TOOL_OK;
}

/* Refuses formats other than CSR and BSR for an operation that takes no others. */
static int check_formats(const bench_settings *s) {
    const bool any = trial_operation_of(s->op)->general;
    tool_layout layout = {.given = false};
    for (int i = 0; !any && i < s->formats.count; i++) {
        const char *text = s->formats.item[i];
        bool all = strcmp(text, "all") == 0;
        int code = all ? TOOL_OK : tool_layout_parse("bench", text, &layout);
        if (code != TOOL_OK) return code;
        bool fits = layout.format == TULLE_CSR || layout.format == TULLE_BSR;
        if (fits && !all) continue;
        return tool_misuse("bench", "--format: --op %s takes csr and bsr:block=N, not %s",
                           s->operation, text);
    }
    return bench_layouts_check(s);
}

/* Refuses L L^T of blocks, and complete factors other than L U. */
static int check_kind(const bench_settings *s) {
    tool_layout layout = {.given = false};
    if (s->wish.kind != TULLE_LU && s->wish.fill == TULLE_FILL_ALL) {
        return tool_misuse("bench", "--fill all: is of --kind lu alone");
    }
    for (int i = 0; s->wish.kind == TULLE_CHOLESKY && i < s->formats.count; i++) {
        const int code = tool_layout_parse("bench", s->formats.item[i], &layout);
        if (code != TOOL_OK) return code;
        if (layout.format != TULLE_BSR) continue;
        return tool_misuse("bench", "--format: L L' is of csr alone, not %s; see --kind lu",
                           s->formats.item[i]);
    }
    return TOOL_OK;
}

static int check_vectors(const bench_settings *s) {
    const trial_operation *operation = trial_operation_of(s->op);
    for (int i = 0; operation->most_vectors > 0 && i < s->blocks.count; i++) {
        const int64_t vectors = s->blocks.item[i].vectors;
        if (vectors <= operation->most_vectors) continue;
        return tool_misuse("bench", "--vectors: --op %s takes up to %" PRId64 ", not %" PRId64,
                           s->operation, operation->most_vectors, vectors);
    }
    return TOOL_OK;
}

/* Reads the words of --choice. */
static int parse_choices(bench_settings *s) {
    for (int i = 0; i < s->choices.count; i++) {
        int choice = TRIAL_RULE;
        while (choice <= TRIAL_PEER &&
               strcmp(trial_choice_name((trial_choice)choice), s->choices.item[i]) != 0) {
            choice++;
        }
        if (choice > TRIAL_PEER) {
            return tool_misuse("bench",
                               "--choice: '%s' is not rule, plan, optimise, forced or peer",
                               s->choices.item[i]);
        }
        s->chosen |= 1u << choice;
    }
    return TOOL_OK;
}

static int check_settings(bench_settings *settings) {
    if (settings->seconds <= 0 || settings->seconds > 3600) {
        return tool_misuse("bench", "--seconds: the budget is above 0 and at most 3600");
    }
    if (settings->minutes < 0) return tool_misuse("bench", "--minutes: the limit is not negative");
    if (settings->give_up < 0) return tool_misuse("bench", "--give-up: the time is not negative");
    settings->budget = (tool_budget){.repeat = settings->repeat, .seconds = settings->seconds};
    if (settings->quiet) tool_progress_allow(false);
    int code = parse_op(settings);
    if (code == TOOL_OK) code = parse_choices(settings);
    if (code == TOOL_OK) code = tool_fill_parse("bench", settings->fills, &settings->wish.fill);
    if (code == TOOL_OK) code = tool_hierarchy_parse("bench", &settings->hierarchy);
    if (code == TOOL_OK) take_blocks(settings);
    if (code == TOOL_OK) code = check_op(settings);
    if (code == TOOL_OK) code = check_blocks(settings);
    if (code == TOOL_OK) code = check_formats(settings);
    if (code == TOOL_OK) code = check_kind(settings);
    if (code == TOOL_OK) {
        code = trial_blocks_parse(settings->vectors, settings->layouts, &settings->blocks);
    }
    if (code == TOOL_OK) code = check_vectors(settings);
    return code == TOOL_OK ? check_shard(settings) : code;
}

/* Prints the screen of help, or the page of the operation that --op names. */
static int help(const tool_command *command) {
    const char *operation = NULL;
    for (int i = 0; i < command->option_count; i++) {
        const tool_option *option = command->options + i;
        if (strcmp(option->name, "op") == 0) operation = *(const char *const *)option->target;
    }
    return tool_bench_help(command, operation, takes);
}

static tool_parsed parse(bench_settings *s, tool_crew *crew, int argc, char **argv) {
    const tool_option options[] = {
        TOOL_ON(s),
        TOOL_CREW_OPTIONS(crew),
        {.name = "op",
         .kind = TOOL_TEXT,
         .target = &s->operation,
         .value = "NAME",
         .help = "what to measure (default spmv); --op NAME --help has its page"},
        {.name = "with",
         .kind = TOOL_TEXT,
         .target = &s->second,
         .value = "MATRIX",
         .help = "B of --op spgemm, update and add; P of --op galerkin"},
        {.name = "set",
         .kind = TOOL_TEXT,
         .target = &s->set,
         .value = "FILE",
         .help = "matrices from a file, one a line, or from bench/sets by name"},
        {.name = "matrices",
         .kind = TOOL_TEXT,
         .target = &s->matrices,
         .value = "DIR",
         .help = "folder of matrices given by name (default: $TULLE_MATRICES)"},
        {.name = "kernel",
         .letter = 'k',
         .kind = TOOL_LIST,
         .target = &s->kernels,
         .value = "SPEC",
         .help = "NAME or NAME:param=value,...; may be repeated (default: all)"},
        {.name = "choice",
         .kind = TOOL_LIST,
         .target = &s->choices,
         .value = "WORD",
         .help = "rows of rule, plan, optimise, forced or peer alone; may be repeated"},
        {.name = "format",
         .letter = 'f',
         .kind = TOOL_LIST,
         .target = &s->formats,
         .value = TOOL_LAYOUT_VALUE,
         .help = "tulle spmv's, or all (peers: csr; bsr on GPUs); may be repeated"},
        {.name = "sweep",
         .kind = TOOL_FLAG,
         .target = &s->sweep,
         .help = "every combination of the kernels' parameters"},
        {.name = "type",
         .kind = TOOL_CHOICE,
         .target = &s->type,
         .value = "f32|f64|both",
         .min = TULLE_F32,
         .help = "types of the values (default both)"},
        {.name = "trans",
         .kind = TOOL_CHOICE,
         .target = &s->trans,
         .value = "n|t|both",
         .help = "A x or T X = B, the same transposed, or both (default n)"},
        TOOL_TRANSPOSE(&s->trans, "the same as --trans t"),
        {.name = "part",
         .kind = TOOL_CHOICE,
         .target = &s->wish.part,
         .value = "lower|upper|both",
         .help = "the triangle of --op trisolve (default lower)"},
        {.name = "kind",
         .kind = TOOL_CHOICE,
         .target = &s->wish.kind,
         .value = "lu|cholesky|both",
         .help = "of --op factor: ILU(0) (default), IC(0), or both"},
        {.name = "precond",
         .kind = TOOL_CHOICE,
         .target = &s->wish.precond,
         .value = "none|jacobi|ilu|all",
         .help = "of --op cg, bicgstab and gmres (default none)"},
        {.name = "fill",
         .kind = TOOL_TEXT,
         .target = &s->fills,
         .value = "K|all",
         .help = "of --op factor: fill up to level K (default 0), or complete L U"},
        {.name = "hierarchy",
         .kind = TOOL_TEXT,
         .target = &s->hierarchy.text,
         .value = TOOL_HIERARCHY_VALUE,
         .help = TOOL_HIERARCHY_HELP},
        {.name = "vectors",
         .letter = 'K',
         .kind = TOOL_TEXT,
         .target = &s->vectors,
         .value = "LIST",
         .help = "so many vectors, as 1,8,32 (default 1; more: tulle spmm)"},
        {.name = "layout",
         .letter = 'l',
         .kind = TOOL_TEXT,
         .target = &s->layouts,
         .value = "LIST",
         .help = "multivectors by row (default), column or row,column"},
        {.name = "index",
         .kind = TOOL_CHOICE,
         .target = &s->index,
         .value = "32|64/32|64|any",
         .help = "bits of offsets/columns (default any: as the matrix comes)"},
        {.name = "repeat",
         .kind = TOOL_INT,
         .target = &s->repeat,
         .value = "N",
         .help = "at least so many samples of each (default 20)",
         .min = 1,
         .max = 100000},
        {.name = "seconds",
         .kind = TOOL_REAL,
         .target = &s->seconds,
         .value = "S",
         .help = "go on sampling so long (default 0.2)"},
        {.name = "fields",
         .kind = TOOL_FLAG,
         .target = &s->fields,
         .help = "list the fields of the JSON lines, with units and meanings, and end"},
        {.name = "json",
         .kind = TOOL_FILE,
         .target = &s->json,
         .value = "FILE",
         .help = "print a JSON line for each measurement, or append it to a file"},
        {.name = "resume",
         .kind = TOOL_TEXT,
         .target = &s->resume,
         .value = "FILE",
         .help = "leave out what this file of JSON lines has already"},
        {.name = "shard",
         .kind = TOOL_TEXT,
         .target = &s->shard,
         .value = "i/n",
         .help = "only every n-th matrix, from number i on"},
        {.name = "minutes",
         .kind = TOOL_REAL,
         .target = &s->minutes,
         .value = "M",
         .help = "stop after so long and say what is left (default 0: no limit)"},
        {.name = "give-up",
         .kind = TOOL_REAL,
         .target = &s->give_up,
         .value = "S",
         .help = "sparse results: leave out longer calls (default 0: no limit)"},
        {.name = "no-check",
         .kind = TOOL_FLAG,
         .target = &s->no_check,
         .help = "do not compare results with the reference in long double"},
        {.name = "explain",
         .kind = TOOL_FLAG,
         .target = &s->explain,
         .help = "first say which kernel the library takes, why, and others' cost"},
        TOOL_SEED(s),
        TOOL_QUIET(s),
        /* The last one, which a program without other libraries leaves out. */
        {.name = "peers",
         .kind = TOOL_TEXT,
         .target = &s->peers,
         .value = "LIST",
         .help = "other libraries: all (default), none, or names with commas"},
    };
    const tool_command command = {
        .name = "bench",
        .operands = "[MATRIX]...",
        .options = options,
        .option_count = (int)(sizeof options / sizeof *options) - !bench_peers_offered(),
        .max_operands = INT_MAX,
        .help = help,
    };
    return tool_parse(&command, argc, argv);
}

static int check_and_run(bench_settings *settings) {
    const int code = check_settings(settings);
    return code == TOOL_OK ? bench_run(settings) : code;
}

int tulle_tool_bench(int argc, char **argv) {
    bench_settings settings = defaults();
    tool_crew crew = {.gpus = NULL};
    tool_crew_begin(&crew);
    const tool_parsed parsed = parse(&settings, &crew, argc, argv);
    if (parsed.stop) return tool_crew_leave(&crew, parsed.code);
    if (settings.fields) {
        tool_bench_print_fields();
        return TOOL_OK;
    }
    if (!settings.operation) settings.operation = trial_operation_of(0)->name;
    settings.operand = parsed.operand;
    settings.operand_count = parsed.count;
    int code = tool_crew_count("bench", &crew);
    if (code == TOOL_OK && crew.ranks > 1) code = check_settings(&settings);
    if (code != TOOL_OK) return tool_crew_leave(&crew, code);
    if (crew.ranks > 1) {
        return tool_bench_shared(&crew, &settings);
    }
    if (bench_batches_wanted(settings.operation)) {
        return bench_batches_run(&settings, settings.vectors == one_vector, check_and_run);
    }
    return check_and_run(&settings);
}
