/* SPDX-License-Identifier: Apache-2.0 */
/* Peers are other libraries, measured on the same arrays in the same run. To add one, write a file
 * in lab/peers/ with a `const bench_peer bench_peer_NAME` for each of its algorithms, and a row in
 * lab/peers/peers.h for each. A peer computes one operation (`op`): a product of a matrix with
 * vectors, an operation on arrays, or, with `maker`, an operation that makes a new matrix. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "tools/common/timing.h"
#include "trials/making.h"
#include "trials/problem.h"
#include "trials/task.h"

enum { BENCH_VERSION = 64 };

typedef struct bench_peer bench_peer;

/* Functions of a peer of an operation that makes a matrix; they stand in for prepare, run, measure
 * and close of bench_peer. */
typedef struct bench_peer_maker {
    bool capped; /* memory that the peer holds can be capped */
    /* Fails with TULLE_UNSUPPORTED where the peer cannot take these matrices. After a failure there
     * is nothing to close. */
    tulle_status (*open)(const bench_peer *peer, const trial_making *making, trial_task *task);
    /* Makes one C with all its memory taken anew (pooled: from a pool, where the library's users
     * have one), ready for use on return; drop follows, also after a failure. */
    tulle_status (*make)(void *state, bool pooled);
    void (*drop)(void *state);
    /* Does all of the measuring, where make cannot be called from here. */
    tulle_status (*measure)(void *state, const tool_budget *budget, tool_timing *timing);
    /* Gives the last C as a matrix of the context's, which may borrow its arrays until drop or
     * close. */
    tulle_status (*take)(void *state, tulle_mat **C);
    /* Returns the most bytes held at a time beside A and B, C included; -1: unknown. */
    int64_t (*peak)(const void *state);
    void (*close)(void *state);
} bench_peer_maker;

struct bench_peer {
    const char *name;    /* "cusparse_csr_alg1" */
    const char *library; /* "cusparse" */
    bool gpu;            /* runs on a GPU, else on the CPU */
    bool blocks;         /* multiplies multivectors, else one vector */
    bool bsr;            /* multiplies BSR as it is, instead of CSR */
    /* number by which the peer's own file tells its algorithms apart */
    int variant;
    bool reads_y;   /* reads y before the call, if only to multiply it by zero */
    const char *op; /* name of the trial_operation that it computes; NULL: "spmv" */
    /* functions of a peer that makes a matrix; NULL for all others */
    const bench_peer_maker *maker;
    /* Finds whether the peer can be used here, and its version. A failure's message says what is
     * missing. */
    tulle_status (*available)(char version[BENCH_VERSION]);
    /* Fails with TULLE_UNSUPPORTED where the peer cannot take this matrix. After a failure there is
     * nothing to close. *task stays where it is until `close`: `measure` may note there the times
     * and the values of the operation's fields that it finds. */
    tulle_status (*prepare)(const bench_peer *peer, const trial_problem *problem, trial_task *task);
    /* `run` computes op(A) x, or the operation's result, once, into the problem's y, in the
     * context's flow. Where that cannot be called from here, `measure` does all of the measuring
     * and leaves y behind. */
    tulle_status (*run)(void *state);
    tulle_status (*measure)(void *state, const tool_budget *budget, tool_timing *timing);
    /* Says how wrong the peer's result is, where its own measuring leaves nothing in y for the
     * operation to check; at most 1 is right. NULL: the operation checks y. */
    tulle_status (*error)(void *state, double *units);
    void (*close)(void *state);
};

#endif
