/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bench/batches.h"
#include "bench/layouts.h"
#include "bench/op.h"
#include "bench/peers.h"
#include "bench/run.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/fill.h"
#include "tools/common/numbers.h"
#include "tools/common/progress.h"

static const char *const examples[] = {
    "tulle bench p3d7:60",
    "tulle bench --on cpu:1 --type f64 --trans both p2d:300 web:100000,4.2,4700,60,100",
    "tulle bench --kernel csr_vector --sweep --on cuda p3d27",
    "tulle bench --format all fem3 --type f64",
    "tulle bench --vectors 1,8,32 --layout row,column --type f64 p3d27",
    "tulle bench --op spmm --vectors 4 --layout row,column --format bsr:block=4 blocks:4,24",
    "tulle bench --op spgemm --type f64 p3d7:40 web",
    "tulle bench --op factor --kind both --type f64 p3d7:60",
    "tulle bench --op factor --fill 1 --type f64 p3d7:60",
    "tulle bench --op cg --precond all --type f64 p3d7:100",
    "tulle bench --op factor --fill all --format bsr:block=4 --type f32 blocks:4,12",
    "tulle bench --op dot --vectors 1,4 10000000 1000",
    "tulle bench --op matrix_free --on cuda box-hex:159 box-tet:159 box-quad:2000",
    "tulle bench --op trisolve --vectors 1,8 --format csr --format bsr:block=4 blocks:4,24",
    "tulle bench --op trisolve --part both --trans both --type f64 p3d7:60",
    "tulle bench --op batch_factor --vectors 1000 --format bsr:block=4 --type f64 blocks:4,12",
    "tulle bench --op uniform --vectors 10000 --layout column,row --type f64 p2d:12",
    "tulle bench --op uniform_lu --vectors 10000 --layout column --type f64 8 16 32",
    "tulle bench --op spmm_bsr --layout row,column blocks:4,24",
    "tulle bench --set smoke --json results.jsonl --resume results.jsonl --minutes 10",
    "tulle bench --set real --matrices DIR --shard 1/4 --peers none",
    NULL,
};

static const char one_vector[] = "1";

static bench_settings defaults(void) {
    return (bench_settings){.on = "auto",
                            .operation = "spmv",
                            .type = BENCH_BOTH,
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
    s->op = bench_op_of(s->operation);
    if (s->op >= 0) return TOOL_OK;
    char names[BENCH_OP_NAMES];
    const char *close = bench_op_suggestion(s->operation);
    if (*close) {
        return tool_misuse("bench", "--op: there is no operation '%s'%s", s->operation, close);
    }
    return tool_misuse("bench", "--op: there is no operation '%s'; there are %s", s->operation,
                       bench_op_names(names));
}

/* spmm_bsr is in blocks, of the size that fits where none is said; and of vectors there are as many
 * as a block has rows: any number above one stands for them. */
static void take_blocks(bench_settings *s) {
    static const char several[] = "2";
    if (!bench_op_wants_bsr(s->operation)) return;
    if (s->formats.count == 0) s->formats.item[s->formats.count++] = tulle_format_name(TULLE_BSR);
    s->own_vectors = s->vectors == one_vector;
    if (s->own_vectors) s->vectors = several;
}

/* Options that not every operation takes, and who does. */
static int check_op(const bench_settings *s) {
    const bench_maker *maker = bench_maker_of(s->op);
    const bench_actor *actor = bench_actor_of(s->op);
    const bool products = !maker && !actor;
    const struct {
        bool given, taken;
        const char *option;
    } options[] = {
        {s->second != NULL, maker && maker->together, "--with"},
        {s->trans != TULLE_N, products || (actor && actor->transposed), "--trans"},
        {s->explain, products, "--explain"},
        {s->formats.count > 0, products || (actor && !actor->sized && !actor->meshes), "--format"},
        {strcmp(s->vectors, one_vector) != 0, products || (actor && actor->blocks), "--vectors"},
        {s->part != TULLE_LOWER, actor == &bench_actor_trisolve, "--part"},
        {s->kind != TULLE_LU, actor == &bench_actor_factor, "--kind"},
        {s->precond != 0, actor && actor->iterates, "--precond"},
        {s->fills != NULL, actor == &bench_actor_factor, "--fill"},
        {s->give_up > 0, maker, "--give-up"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].given || options[i].taken) continue;
        return tool_misuse("bench", "%s is not for --op %s", options[i].option, s->operation);
    }
    if (bench_op_wants_vectors(s->operation) && strcmp(s->vectors, one_vector) == 0) {
        return tool_misuse("bench", "--op %s: say with how many vectors, as --vectors 4",
                           s->operation);
    }
    return TOOL_OK;
}

static int check_blocks(const bench_settings *s) {
    tool_layout layout = {.given = false};
    for (int i = 0; bench_op_wants_bsr(s->operation) && i < s->formats.count; i++) {
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

/* Matrices that are acted on are in CSR or BSR. */
static int check_formats(const bench_settings *s) {
    tool_layout layout = {.given = false};
    for (int i = 0; bench_actor_of(s->op) && i < s->formats.count; i++) {
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

/* L L' is of numbers, and complete factors are L U. */
static int check_kind(const bench_settings *s) {
    tool_layout layout = {.given = false};
    if (s->kind != TULLE_LU && s->fill == TULLE_FILL_ALL) {
        return tool_misuse("bench", "--fill all: is of --kind lu alone");
    }
    for (int i = 0; s->kind == TULLE_CHOLESKY && i < s->formats.count; i++) {
        const int code = tool_layout_parse("bench", s->formats.item[i], &layout);
        if (code != TOOL_OK) return code;
        if (layout.format != TULLE_BSR) continue;
        return tool_misuse("bench", "--format: L L' is of csr alone, not %s; see --kind lu",
                           s->formats.item[i]);
    }
    return TOOL_OK;
}

static int check_vectors(const bench_settings *s) {
    const bench_actor *actor = bench_actor_of(s->op);
    for (int i = 0; actor && actor->most_vectors > 0 && i < s->blocks.count; i++) {
        const int64_t vectors = s->blocks.item[i].vectors;
        if (vectors <= actor->most_vectors) continue;
        return tool_misuse("bench", "--vectors: --op %s takes up to %" PRId64 ", not %" PRId64,
                           s->operation, actor->most_vectors, vectors);
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
    tool_progress_allow(!settings->quiet);
    int code = parse_op(settings);
    if (code == TOOL_OK) code = tool_fill_parse("bench", settings->fills, &settings->fill);
    if (code == TOOL_OK) take_blocks(settings);
    if (code == TOOL_OK) code = check_op(settings);
    if (code == TOOL_OK) code = check_blocks(settings);
    if (code == TOOL_OK) code = check_formats(settings);
    if (code == TOOL_OK) code = check_kind(settings);
    if (code == TOOL_OK) {
        code = bench_blocks_parse(settings->vectors, settings->layouts, &settings->blocks);
    }
    if (code == TOOL_OK) code = check_vectors(settings);
    return code == TOOL_OK ? check_shard(settings) : code;
}

static tool_parsed parse(bench_settings *s, int argc, char **argv) {
    const tool_option options[] = {
        TOOL_ON(s),
        {.name = "op",
         .kind = TOOL_TEXT,
         .target = &s->operation,
         .value = "NAME",
         .help = "spmv (default), spmm: with --vectors; or one of those above"},
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
         .help = "types of the values (default both)"},
        {.name = "trans",
         .kind = TOOL_CHOICE,
         .target = &s->trans,
         .value = "n|t|both",
         .help = "A x or T X = B, the same transposed, or both (default n)"},
        TOOL_TRANSPOSE(&s->trans, "the same as --trans t"),
        {.name = "part",
         .kind = TOOL_CHOICE,
         .target = &s->part,
         .value = "lower|upper|both",
         .help = "the triangle of --op trisolve (default lower)"},
        {.name = "kind",
         .kind = TOOL_CHOICE,
         .target = &s->kind,
         .value = "lu|cholesky|both",
         .help = "of --op factor: ILU(0) (default), IC(0), or both"},
        {.name = "precond",
         .kind = TOOL_CHOICE,
         .target = &s->precond,
         .value = "none|jacobi|ilu|all",
         .help = "of --op cg, bicgstab and gmres (default none)"},
        {.name = "fill",
         .kind = TOOL_TEXT,
         .target = &s->fills,
         .value = "K|all",
         .help = "of --op factor: fill up to level K (default 0), or complete L U"},
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
        .about =
            "Measures y = A x with every eligible kernel, as the library itself would choose\n"
            "(rule), with the kernel prepared for the matrix (plan), with each kernel by name\n"
            "(forced), and with other libraries (peer). Times are medians of calls back to back,\n"
            "and cold: after the caches were filled with other data. The floor is the time in\n"
            "which the machine's own copy moves the fewest bytes that the product needs; the\n"
            "column has the floor over the time, so that 1 is the most one can expect of a matrix\n"
            "that does not fit in the cache. The error is in units of its bound: at most 1 is\n"
            "right. The fastest is marked with *.\n"
            "--op spmm is the same with several vectors (--vectors), of which CSR and BSR are "
            "read\n"
            "once for many; BSR also beside cuSPARSE's bsrmm, and bsrmv called for each vector.\n"
            "--op spmm_bsr is that in BSR, with as many vectors as a block has rows unless said.\n"
            "--op spgemm measures C = A A, or A B (--with), of sparse matrices, --op add C = A + "
            "B,\n"
            "of different patterns: B is the one given (--with), or A with its rows moved down by\n"
            "one; --op transpose C = A'; from the call until C can be used, with all memory that\n"
            "it takes; C is made anew each time. --op add_values measures C = A + A, which shares\n"
            "A's pattern: the floor is values alone. --op update makes the values of A A or A B\n"
            "anew, on C's pattern, --op galerkin P' A P, of A and P (--with), beside the two\n"
            "products that it is made of. On a GPU once without a pool (nothing that earlier calls "
            "took\n"
            "serves it) and once with one; with the phases of a call, the most it may hold "
            "(bound)\n"
            "and held (peak; beyond C: without C), and at the end how tulle stands against the\n"
            "best peer of each matrix.\n"
            "--op trisolve measures T X = B, or T' X = B (--trans), T a triangle of a matrix "
            "whose\n"
            "diagonal was made dominant: each entry of it is 1 and the sum of the other "
            "magnitudes\n"
            "of its row. What is found out once of the pattern counts as prep; what a call itself\n"
            "spends on bringing T\n"
            "into another form, before it solves, is said as convert. --op factor measures "
            "computing the\n"
            "values of incomplete factors of such a matrix anew, on the pattern that they have, "
            "or,\n"
            "with --fill all, of complete ones in AMD's order and in nested dissection's, whose\n"
            "operations it counts.\n"
            "--op cg, bicgstab and gmres measure an iteration of a solution of A x = b that has "
            "many.\n"
            "A is as it comes where no diagonal entry is below the sum of the others' magnitudes,\n"
            "else its diagonal is made dominant; for cg it is symmetric. Parts: its products "
            "alone\n"
            "and what its vectors take at the speed of a copy, over the time of an iteration. "
            "With\n"
            "ILU(0) the solution is one to the default tolerance, and its factors count (whole).\n"
            "--op dot, axpy, axpby, scale, copy, multiply, divide (number by number), norm2, "
            "norm_max,\n"
            "multivector_dot (X'Z) and multivector_axpy (Y + X A) take lengths of vectors instead "
            "of\n"
            "matrices, and --vectors columns: with results or factors on the\n"
            "host, on the device, and on a GPU captured: from a graph of 16 calls. --op batch "
            "runs\n"
            "all of batch_... below, one after another, each with a size of its own unless given.\n"
            "--op batch_dot\n"
            "and batch_axpy do so for many at once, as 128x100000: grouped, by streams, with one\n"
            "block of threads each (tasks), grouped from a graph (captured), and streams from one\n"
            "(graph). --op qr takes lengths, too: X = Q R, whose\n"
            "floor is reading X and writing Q once; flops are those of Householder's method.\n"
            "--op batch_factor takes matrices, and --vectors so many ILU(0) of one pattern each.\n"
            "--op batch_spmm takes block rows, as 32x1728: cubes of points with six neighbours in\n"
            "blocks of --vectors rows, times as many vectors; batch_spmm_transposed their\n"
            "transposes; batch_lu and batch_solve have such cubes' complete factors. --op\n"
            "batch_mixed takes so many of mixed sizes, 1000x5000 of 100 to 5000 block rows, and\n"
            "one matrix that holds them all (joined). batch_shared has\n"
            "operands as batch_axpy, in page-locked memory of the host: by the GPU alone, and "
            "with\n"
            "threads of the CPU, which take tasks from the same queue (shared).\n"
            "--op uniform takes matrices, and --vectors so many systems on the pattern of each.\n"
            "--op uniform_lu and uniform_cholesky take numbers of rows, up to 32, and --vectors "
            "so\n"
            "many dense matrices: factors (a copy of A is a part of it), and solutions with them.\n"
            "--op assemble takes numbers of unknowns: of a box of hexahedra whose element "
            "matrices\n"
            "come to a matrix with a pattern that is there; what is found out of lists is prep.\n"
            "--op diffusion computes such values, or a right-hand side, from coordinates.\n"
            "--op local multiplies by such element matrices, without a matrix, and, for\n"
            "comparison, with one (assembled).\n"
            "--op matrix_free takes meshes, as box-hex:100 (tulle mesh), and multiplies by the "
            "matrix\n"
            "of -lap u, u given on the boundary: computed anew from corners of cells, and, for\n"
            "comparison, by element matrices that are kept (local, packed, narrow), and assembled "
            "in\n"
            "CSR, ELL, HYB and as tulle_mat_optimize has it. --op mesh_cg measures an iteration of "
            "CG\n"
            "with each of these.",
        .examples = examples,
        .options = options,
        .option_count = (int)(sizeof options / sizeof *options) - !bench_peers_offered(),
        .max_operands = INT_MAX,
    };
    return tool_parse(&command, argc, argv);
}

static int check_and_run(bench_settings *settings) {
    const int code = check_settings(settings);
    return code == TOOL_OK ? bench_run(settings) : code;
}

int tulle_tool_bench(int argc, char **argv) {
    bench_settings settings = defaults();
    tool_parsed parsed = parse(&settings, argc, argv);
    if (parsed.stop) return parsed.code;
    settings.operand = parsed.operand;
    settings.operand_count = parsed.count;
    if (bench_batches_wanted(settings.operation)) {
        return bench_batches_run(&settings, settings.vectors == one_vector, check_and_run);
    }
    return check_and_run(&settings);
}
