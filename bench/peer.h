/* SPDX-License-Identifier: Apache-2.0 */
/* Other libraries, measured on the same arrays in the same run. To add one: a file in bench/peers/
 * with a `const bench_peer bench_peer_NAME` for each of its algorithms, and a row in peers.h for
 * each. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench/problem.h"
#include "tools/common/timing.h"

enum { BENCH_VERSION = 64 };

typedef struct bench_peer bench_peer;

/* A peer, ready for one problem. */
typedef struct bench_peer_task {
    void *state;
    double prep_ms;      /* that its own preprocessing took; 0: it has none */
    int64_t extra_bytes; /* of memory beside the matrix, x and y */
    int threads;         /* 0 on a GPU */
} bench_peer_task;

struct bench_peer {
    const char *name;    /* "cusparse_csr_alg1" */
    const char *library; /* "cusparse" */
    bool gpu;            /* runs on a GPU, else on the CPU */
    bool blocks;         /* multiplies multivectors, else one vector */
    int variant;         /* the file's own */
    /* Whether it can be used here, and its version. A failure's message says what is missing. */
    tulle_status (*available)(char version[BENCH_VERSION]);
    /* TULLE_UNSUPPORTED: not this matrix. After a failure there is nothing to close. */
    tulle_status (*prepare)(const bench_peer *peer, const bench_problem *problem,
                            bench_peer_task *task);
    /* One y = op(A) x into the problem's y, in the context's flow; or, where that cannot be
     * called from here, all of the measuring, which leaves y behind. */
    tulle_status (*run)(void *state);
    tulle_status (*measure)(void *state, const tool_budget *budget, tool_timing *timing);
    void (*close)(void *state);
};

#endif
