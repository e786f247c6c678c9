/* SPDX-License-Identifier: Apache-2.0 */
/* A paper's experiments: its matrices x types x steps. */
#ifndef BENCH_PAPERS_RUN_H
#define BENCH_PAPERS_RUN_H

#include "bench/papers/paper.h"
#include "bench/settings.h"

typedef struct bench_paper_settings {
    bench_settings bench; /* place, output, limits; its json is where the rows go */
    const bench_paper *paper;
    tool_list experiments; /* only these; none: all */
    tool_list only;        /* of the matrices only these; none: all */
    bool quick;            /* tiny matrices */
    bool profile;          /* the profiler's counters, instead of times */
    bool calls;            /* for the profiler: each profiled call once, between its marks */
} bench_paper_settings;

/* An exit code of the tool. */
int bench_paper_run(const bench_paper_settings *settings);

/* Whether one of the matrices of this run goes by a name, "F1" or "like:F1". */
bool bench_paper_has_matrix(const bench_paper_settings *settings, const char *name);

/* Whether a paper has an experiment of that name. */
bool bench_paper_has(const bench_paper *paper, const char *experiment);

#endif
