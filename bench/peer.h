/* SPDX-License-Identifier: Apache-2.0 */
/* Other libraries, measured on the same arrays in the same run. To add one: a file in lab/peers/
 * with a `const bench_peer bench_peer_NAME` for each of its algorithms, and a row in
 * lab/peers/peers.h for each. It computes one operation (`op`): a product of a
 * matrix with vectors, an operation on arrays, or, with `maker`, one that makes a new matrix. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "tools/common/timing.h"
#include "trials/making.h"
#include "trials/problem.h"
#include "trials/task.h"

enum { BENCH_VERSION = 64 };

typedef struct bench_peer bench_peer;

/* A peer of an operation that makes a matrix; instead of prepare, run, measure and close below. */
typedef struct bench_peer_maker {
    bool capped; /* what it holds can be capped (trial_making.cap) */
    /* TULLE_UNSUPPORTED: not these matrices. After a failure there is nothing to close. */
    tulle_status (*open)(const bench_peer *peer, const trial_making *making, trial_task *task);
    /* One C with all its memory taken anew (pooled: from a pool, where the library's users have
     * one), ready for use on return; then drop, also after a failure. */
    tulle_status (*make)(void *state, bool pooled);
    void (*drop)(void *state);
    /* Or, where that cannot be called from here, all of the measuring. */
    tulle_status (*measure)(void *state, const tool_budget *budget, tool_timing *timing);
    /* The last C as a matrix of the context's, which may borrow its arrays until drop or close. */
    tulle_status (*take)(void *state, tulle_mat **C);
    /* The most bytes held at a time beside A and B, C included; -1: unknown. */
    int64_t (*peak)(const void *state);
    void (*close)(void *state);
} bench_peer_maker;

struct bench_peer {
    const char *name;              /* "cusparse_csr_alg1" */
    const char *library;           /* "cusparse" */
    bool gpu;                      /* runs on a GPU, else on the CPU */
    bool blocks;                   /* multiplies multivectors, else one vector */
    bool bsr;                      /* and takes BSR as it is, instead of CSR */
    int variant;                   /* the file's own */
    bool reads_y;                  /* it multiplies by zero what stands in y before */
    const char *op;                /* name of the trial_operation that it computes; NULL: "spmv" */
    const bench_peer_maker *maker; /* of an operation that makes a matrix; else NULL */
    /* Whether it can be used here, and its version. A failure's message says what is missing. */
    tulle_status (*available)(char version[BENCH_VERSION]);
    /* TULLE_UNSUPPORTED: not this matrix. After a failure there is nothing to close. */
    tulle_status (*prepare)(const bench_peer *peer, const trial_problem *problem, trial_task *task);
    /* Computes op(A) x, or the operation's result, once, into the problem's y, in the context's
     * flow; or, where that cannot be called from here, all of the measuring, which leaves y behind.
     */
    tulle_status (*run)(void *state);
    tulle_status (*measure)(void *state, const tool_budget *budget, tool_timing *timing);
    /* How wrong it is, at most 1 being right, where what it measured leaves nothing in y that the
     * operation could look at. NULL: the operation looks. */
    tulle_status (*error)(void *state, double *units);
    void (*close)(void *state);
};

#endif
