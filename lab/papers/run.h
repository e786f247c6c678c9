/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a paper's experiments: each step on each matrix in each type. */
#ifndef PAPERS_RUN_H
#define PAPERS_RUN_H

#include "bench/settings.h"
#include "lab/papers/paper.h"

typedef struct paper_settings {
    bench_settings bench; /* place, output (rows go to its json), limits */
    const paper_description *paper;
    tool_list experiments; /* names of the only experiments; empty: all experiments */
    tool_list only;        /* names of the only matrices; empty: all matrices */
    bool quick;            /* true: matrices are tiny */
    bool profile;          /* true: the profiler's counters are kept instead of times */
    bool calls;            /* true: each profiled call runs once, between marks for the profiler */
} paper_settings;

/* Runs the experiments that the settings ask for; returns an exit code of the tool. */
int paper_run(const paper_settings *settings);

/* True when one of the matrices of this run goes by a name, "F1" or "like:F1". */
bool paper_has_matrix(const paper_settings *settings, const char *name);

/* True when a run asks for a step. */
bool paper_asks(const paper_settings *settings, const paper_step *step);

/* True when a matrix of the paper, "like:F1", goes by a name: "like:F1" or "F1". */
bool paper_goes_by(const char *spec, const char *name);

/* True when a step is for the paper's matrix of a name, "like:F1" or "F1", and has no problems of
 * its own. */
bool paper_is_for(const paper_settings *settings, const paper_step *step, const char *name);

/* True when a paper has an experiment of a name. */
bool paper_has(const paper_description *paper, const char *experiment);

#endif
