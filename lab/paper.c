/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "lab/papers/run.h"
#include "lab/subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/numbers.h"
#include "tools/common/progress.h"
#include "tools/common/suggest.h"
#include "trials/op.h"

static const char *const examples[] = {
    "tulle-lab paper 5 --quick --no-peers --on cpu",
    "tulle-lab paper 1 --out paper1.jsonl",
    "tulle-lab paper 2 --experiment algorithms --type f32 --matrices DIR",
    "tulle-lab paper 2 --profile --on cuda --out profile.jsonl",
    NULL,
};

static const paper_description *const papers[] = {
#define X(number) &paper_##number,
    PAPERS(X)
#undef X
};

enum { COUNT = sizeof papers / sizeof *papers };

static int no_such_paper(const char *number) {
    char list[64];
    size_t length = 0;
    for (int i = 0; i < COUNT; i++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%d", i ? ", " : "",
                                   papers[i]->number);
    }
    return tool_misuse("paper", "there is no experiment for paper %s in this version; there are %s",
                       number, list);
}

static int no_such_experiment(const paper_description *paper, const char *name) {
    tool_suggestions close = tool_suggest(name);
    for (int i = 0; i < paper->step_count; i++) {
        tool_suggest_offer(&close, paper->steps[i].experiment);
    }
    return tool_misuse("paper", "--experiment: paper %d has no '%s'%s", paper->number, name,
                       tool_suggest_text(&close));
}

static int check_profiled(const paper_settings *s) {
    if (s->calls && !s->bench.json) return tool_misuse("paper", "--calls: needs --out");
    for (int i = 0; i < s->paper->step_count; i++) {
        if (s->paper->steps[i].profiled) return TOOL_OK;
    }
    return tool_misuse("paper", "--profile: paper %d has nothing to profile", s->paper->number);
}

/* Sets what a try on tiny matrices needs. */
static void be_quick(bench_settings *bench) {
    bench->repeat = 1;
    bench->seconds = 0.001;
}

static int check(paper_settings *s, const char *operand) {
    int64_t number = 0;
    bool whole = tool_parse_int(operand, 0, 1000, &number);
    for (int i = 0; whole && i < COUNT; i++) {
        if (papers[i]->number == number) s->paper = papers[i];
    }
    if (!s->paper) return no_such_paper(operand);
    for (int i = 0; i < s->experiments.count; i++) {
        const char *name = s->experiments.item[i];
        if (!paper_has(s->paper, name)) return no_such_experiment(s->paper, name);
    }
    for (int i = 0; i < s->only.count; i++) {
        if (paper_has_matrix(s, s->only.item[i])) continue;
        return tool_misuse("paper", "--matrix: paper %d has no matrix '%s'", s->paper->number,
                           s->only.item[i]);
    }
    bench_settings *bench = &s->bench;
    if (s->paper->op) bench->op = trial_op_of(s->paper->op);
    if (bench->seconds <= 0 || bench->seconds > 3600) {
        return tool_misuse("paper", "--seconds: the budget is above 0 and at most 3600");
    }
    if (bench->minutes < 0) return tool_misuse("paper", "--minutes: the limit is not negative");
    if (bench->give_up < 0) return tool_misuse("paper", "--give-up: the time is not negative");
    if (bench->give_up > 0 && !s->paper->op) {
        return tool_misuse("paper", "--give-up: paper %d makes no sparse results",
                           s->paper->number);
    }
    int code = s->calls || s->profile ? check_profiled(s) : TOOL_OK;
    if (code != TOOL_OK) return code;
    if (s->quick) be_quick(bench);
    if (s->calls) bench->type = TULLE_F32;
    bench->budget = (tool_budget){.repeat = bench->repeat, .seconds = bench->seconds};
    tool_progress_allow(!bench->quiet);
    return TOOL_OK;
}

int tulle_tool_paper(int argc, char **argv) {
    paper_settings s = {.bench = {.on = "auto",
                                  .type = TRIAL_BOTH_TYPES,
                                  .trans = TULLE_N,
                                  .index = BENCH_ANY_INDEX,
                                  .repeat = 10,
                                  .seed = 1,
                                  .seconds = 0.02}};
    bench_settings *bench = &s.bench;
    bool no_peers = false;
    const tool_option options[] = {
        TOOL_ON(bench),
        {.name = "out",
         .letter = 'o',
         .kind = TOOL_TEXT,
         .target = &bench->json,
         .value = "FILE",
         .help = "append a JSON line for each measurement; - for standard output"},
        {.name = "matrices",
         .kind = TOOL_TEXT,
         .target = &bench->matrices,
         .value = "DIR",
         .help = "folder of real matrices, where there are any (default: $TULLE_MATRICES)"},
        {.name = "experiment",
         .letter = 'e',
         .kind = TOOL_LIST,
         .target = &s.experiments,
         .value = "NAME",
         .help = "only this one; may be repeated (default: all)"},
        {.name = "matrix",
         .kind = TOOL_LIST,
         .target = &s.only,
         .value = "NAME",
         .help = "only this one of the paper's; may be repeated (default: all)"},
        {.name = "type",
         .kind = TOOL_CHOICE,
         .target = &bench->type,
         .value = "f32|f64|both",
         .min = TULLE_F32,
         .help = "types of the values (default both)"},
        {.name = "repeat",
         .kind = TOOL_INT,
         .target = &bench->repeat,
         .value = "N",
         .help = "at least so many samples of each (default 10)",
         .min = 1,
         .max = 100000},
        {.name = "seconds",
         .kind = TOOL_REAL,
         .target = &bench->seconds,
         .value = "S",
         .help = "go on sampling so long (default 0.02)"},
        {.name = "minutes",
         .kind = TOOL_REAL,
         .target = &bench->minutes,
         .value = "M",
         .help = "stop after so long and say what is left (default 0: no limit)"},
        {.name = "give-up",
         .kind = TOOL_REAL,
         .target = &bench->give_up,
         .value = "S",
         .help = "leave out longer calls (default 0: no limit; 60 under a cap)"},
        {.name = "quick",
         .kind = TOOL_FLAG,
         .target = &s.quick,
         .help = "tiny matrices and single samples: does it work?"},
        {.name = "no-peers",
         .kind = TOOL_FLAG,
         .target = &no_peers,
         .help = "leave other libraries out"},
        {.name = "no-check",
         .kind = TOOL_FLAG,
         .target = &bench->no_check,
         .help = "do not compare results with the reference in long double"},
        {.name = "profile",
         .kind = TOOL_FLAG,
         .target = &s.profile,
         .help = "the counters of NVIDIA's profiler (ncu), instead of times"},
        {.name = "calls",
         .kind = TOOL_FLAG,
         .target = &s.calls,
         .help = "what --profile has the profiler run: each call once, between its marks"},
        TOOL_SEED(bench),
        TOOL_QUIET(bench),
    };
    const tool_command command = {
        .name = "paper",
        .operands = "NUMBER",
        .about =
            "Repeats the experiments of a paper on this machine, in rows like those of tulle "
            "bench\n"
            "with two more keys, paper and experiment. lab/papers.py makes docs/papers/ of\n"
            "them, with the papers' own figures beside ours.\n"
            "  1  Reguly and Giles, CSR products tuned by three parameters: coop, repeat, block;\n"
            "     carve, carve-repeat, carve-block (the published kernel, by the split of the "
            "L1);\n"
            "     rule, exhaustive, vendor, formats; tuner, newton (tuned while systems are "
            "solved),\n"
            "     printed-tuner, printed-newton (as the paper's tuner, in its domain);\n"
            "     fem (CG on meshes, without matrices and with them)\n"
            "  2  Hiranandani, five CSR algorithms: algorithms, today, vendor\n"
            "  3  Afanasyev et al., block kernels on many small tasks at once: tasks (more and "
            "more of\n"
            "     them), timeline (of threads of the host), dot, axpy, mvm, lu, sle, core (one "
            "core)\n"
            "  4  Nagasaka et al., sparse products by hash tables: algorithms, grouping (none),\n"
            "     one-phase, today, vendor, memory (large graphs in 16 GB)\n"
            "  5  GPU Teaching Kit, formats side by side: formats, vendor, order (of COO),\n"
            "     lengths (before and after sorting), padding (of ELL), system (A x + y = 0)\n"
            "A matrix that is not in the folder is replaced by a stand-in (like:NAME), and its "
            "rows\n"
            "say so. What the place cannot run is left out.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 1,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    bench->peers = no_peers ? "none" : "all";
    int code = check(&s, parsed.operand[0]);
    return code == TOOL_OK ? paper_run(&s) : code;
}
