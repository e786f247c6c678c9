/* SPDX-License-Identifier: Apache-2.0 */
/* A paper's experiments: its matrices x types x steps. */
#ifndef PAPERS_RUN_H
#define PAPERS_RUN_H

#include "bench/settings.h"
#include "lab/papers/paper.h"

typedef struct paper_settings {
    bench_settings bench; /* place, output, limits; its json is where the rows go */
    const paper_description *paper;
    tool_list experiments; /* only these; none: all */
    tool_list only;        /* of the matrices only these; none: all */
    bool quick;            /* tiny matrices */
    bool profile;          /* the profiler's counters, instead of times */
    bool calls;            /* for the profiler: each profiled call once, between its marks */
} paper_settings;

/* An exit code of the tool. */
int paper_run(const paper_settings *settings);

/* Whether one of the matrices of this run goes by a name, "F1" or "like:F1". */
bool paper_has_matrix(const paper_settings *settings, const char *name);

/* Whether a run asks for a step. */
bool paper_asks(const paper_settings *settings, const paper_step *step);

/* Whether a matrix of the paper, "like:F1", goes by a name: that, or "F1". */
bool paper_goes_by(const char *spec, const char *name);

/* Whether a step is for one of the paper's matrices, "like:F1" or "F1", and has none of its own. */
bool paper_is_for(const paper_settings *settings, const paper_step *step, const char *name);

/* Whether a paper has an experiment of that name. */
bool paper_has(const paper_description *paper, const char *experiment);

#endif
