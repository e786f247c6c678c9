/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: many products of matrices in blocks with multivectors, one after another, each as if it
 * were alone: by bsrmv for each column (with which Afanasyev, Potapov, Sobolev and Kharchenko, YSC
 * 2015, compare), by bsrmm, and by SpMM. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "lab/peers/cusparse_legacy.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"
#include "trials/grids.h"

enum { BSRMV, BSRMM, SPMM };
static const bench_peer *const singles[] = {&bench_peer_cusparse_bsrmv_columns,
                                            &bench_peer_cusparse_bsrmm,
                                            &bench_peer_cusparse_spmm_bsr_alg1};

typedef struct batch_task {
    const bench_peer *single;
    trial_problem *problem;
    trial_task *task; /* one for each problem that is ready */
    int64_t count;
} batch_task;

static void close_task(void *state) {
    batch_task *t = state;
    for (int64_t i = 0; i < t->count; i++) t->single->close(t->task[i].state);
    free(t->problem);
    free(t->task);
    free(t);
}

/* Describes matrix i of the batch as if it stood alone. */
static tulle_status describe_single(const trial_problem *p, const trial_grids *g, int64_t i,
                                    trial_problem *single) {
    *single = (trial_problem){.ctx = p->ctx,
                              .device = p->device,
                              .A = g->A[i],
                              .trans = TULLE_N,
                              .block = p->block,
                              .x = g->x[i],
                              .y = g->y[i]};
    return tulle_mat_describe(g->A[i], &single->info);
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *p, trial_task *task) {
    const trial_grids *g = trial_grids_of(p);
    batch_task *t = tool_alloc(1, sizeof *t);
    *t = (batch_task){.single = singles[peer->variant],
                      .problem = tool_alloc((size_t)g->count, sizeof *t->problem),
                      .task = tool_alloc((size_t)g->count, sizeof *t->task)};
    *task = (trial_task){.state = t};
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < g->count && status == TULLE_OK; i++) {
        status = describe_single(p, g, i, &t->problem[i]);
        if (status != TULLE_OK) break;
        status = t->single->prepare(t->single, &t->problem[i], &t->task[i]);
        if (status != TULLE_OK) break;
        task->extra_bytes += t->task[i].extra_bytes;
        t->count++;
    }
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    const batch_task *t = state;
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < t->count && status == TULLE_OK; i++) {
        status = t->single->run(t->task[i].state);
    }
    return status;
}

#define PEER(algorithm_name, number, is_there)                                                     \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = number,                                                                         \
        .op = "batch_spmm",                                                                        \
        .available = is_there,                                                                     \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_batch_bsrmv, BSRMV, cusparse_legacy_available)
PEER(cusparse_batch_bsrmm, BSRMM, cusparse_legacy_available)
PEER(cusparse_batch_spmm_bsr, SPMM, cusparse_available)

#endif
