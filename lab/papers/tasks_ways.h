/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which a problem of many tasks is measured, or called once for the profiler. */
#ifndef PAPERS_TASKS_WAYS_H
#define PAPERS_TASKS_WAYS_H

#include "bench/session.h"
#include "lab/papers/run.h"
#include "trials/operation.h"

typedef struct paper_tasks_work {
    bench_session *session;
    const paper_settings *settings;
    const paper_step *step;
    const trial_operation *operation;
    bench_experiment experiment;
    bench_matrix matrix;
    bench_peer_set peers;
    tulle_ctx *core;     /* context on one core of the host; NULL: the step compares with none */
    double core_task_ms; /* time of one task on the core, in milliseconds; 0 without a core */
} paper_tasks_work;

/* Measures every way that the step asks for. */
tulle_status paper_tasks_ways(const paper_tasks_work *work, trial_problem *problem);

#endif
