/* SPDX-License-Identifier: Apache-2.0 */
/* An operation on given arrays, op(T)^-1 B, that is prepared once and then runs many times. To add
 * one: a file with a `const bench_actor bench_actor_NAME`, and a row in BENCH_ACTORS; what it is
 * measured against says so in its bench_peer (peer.h). */
#ifndef BENCH_ACTING_H
#define BENCH_ACTING_H

#include "bench/problem.h"
#include "bench/settings.h"
#include "bench/task.h"
#include "tools/common/timing.h"
#include "tools/common/verify.h"

/* BENCH_NARROW: columns of multivectors, at most, that batches and qr take (vector.h, batch.h). */
enum { BENCH_DETAILS = 9, BENCH_NARROW = 32 };

/* What one problem of it is made from. */
typedef struct bench_given {
    /* The mesh and its matrix, where several problems share them; else NULL. */
    const struct bench_mesh_system *system;
    tulle_mat *A;     /* square, in the format that is measured; NULL: it takes a number */
    tulle_mat *csr;   /* the same in CSR, for the check */
    const char *mesh; /* its specification, of an action on meshes */
    int64_t n;        /* rows of A, or that number */
    int64_t count;    /* of problems beside each other */
    tulle_type type;
    bench_block block;
    tulle_trans trans;
    int detail;
    int fill; /* of factors, as the settings have it */
    uint64_t seed;
    bool check;
    /* Whether the problem is run by itself, so that it may act on A and use what A's pattern knows
     * already; else every preparation begins with a copy of A. */
    bool alone;
    const void *options; /* the operation's own, as trisolve.h has them; NULL: the benchmark's */
    tool_budget budget;
} bench_given;

struct bench_actor {
    const char *name;       /* "trisolve": of the command line */
    const char *also;       /* a second name there; NULL: none */
    const char *kernels;    /* the operation whose kernels it has; NULL: it has none */
    const char *function;   /* what its rows have as a kernel where none was asked for */
    const char *formula;    /* "T X = B" */
    const char *transposed; /* the same with the transpose; NULL: it takes no --trans */
    bool sized;             /* it takes numbers, sizes of vectors, instead of matrices */
    bool meshes;            /* it takes specifications of meshes instead of matrices */
    bool many;              /* numbers may be given as COUNTxN: so many problems of N */
    int64_t most;           /* the largest number that it takes; 0: any */
    bool blocks;            /* it takes blocks of vectors */
    int64_t most_vectors;   /* of one of them; 0: any number */
    bool iterates;          /* it is an iterative method, whose details are preconditioners */
    int captured; /* the first of the last details, run from a CUDA graph, on a GPU; 0: none */
    const char *detail[BENCH_DETAILS]; /* ways to ask for it: "lower", "upper"; [0] NULL: one */
    bool (*asked)(const bench_settings *settings, int detail); /* NULL: all are */
    /* Makes of a square matrix the one that is acted on, in CSR; TULLE_UNSUPPORTED: not this one.
     * NULL: with a dominant diagonal. */
    tulle_status (*choose)(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B);
    /* Fills x, y, own, minimal_bytes, flops and levels of a problem whose other members are there,
     * and of an iterative method what it has; then close, also after a failure. TULLE_UNSUPPORTED:
     * not this case. */
    tulle_status (*open)(bench_problem *problem, const bench_given *given);
    void (*close)(bench_problem *problem);
    /* Tulle's own way, as a peer's (peer.h): prepared anew, with nothing that is kept from before.
     */
    tulle_status (*prepare)(const bench_problem *problem, bench_task *task);
    tulle_status (*run)(void *state);
    /* What a call begins with, bringing into another form what it is given, by itself; *converts:
     * whether there is anything. NULL: there is nothing. */
    tulle_status (*convert)(void *state, bool *converts);
    void (*finish)(void *state);
    /* Makes everything as it must be before a call whose result is checked. */
    tulle_status (*reset)(const bench_problem *problem);
    /* The error in units of the bound of what a call of tulle's own (state) has left, or of a peer
     * (NULL), which leaves it in the problem's y. */
    tulle_status (*error)(const bench_problem *problem, void *state, double *units);
    /* The number of the result that has the error that was found last, and the number that is due
     * there. NULL: the error has no such place. */
    const tool_error_found *(*worst)(const bench_problem *problem);
};

#define BENCH_ACTORS(X)                                                                            \
    X(trisolve)                                                                                    \
    X(factor)                                                                                      \
    X(dot)                                                                                         \
    X(axpy)                                                                                        \
    X(axpby)                                                                                       \
    X(scale)                                                                                       \
    X(copy)                                                                                        \
    X(multiply)                                                                                    \
    X(divide)                                                                                      \
    X(norm2)                                                                                       \
    X(norm_max)                                                                                    \
    X(multivector_dot)                                                                             \
    X(multivector_axpy)                                                                            \
    X(qr)                                                                                          \
    X(batch_dot)                                                                                   \
    X(batch_axpy)                                                                                  \
    X(batch_shared)                                                                                \
    X(batch_spmm)                                                                                  \
    X(batch_spmm_transposed)                                                                       \
    X(batch_mixed)                                                                                 \
    X(batch_factor)                                                                                \
    X(batch_lu)                                                                                    \
    X(batch_solve)                                                                                 \
    X(cg)                                                                                          \
    X(bicgstab)                                                                                    \
    X(gmres)                                                                                       \
    X(assemble)                                                                                    \
    X(diffusion)                                                                                   \
    X(local)                                                                                       \
    X(matrix_free)                                                                                 \
    X(mesh_cg)                                                                                     \
    X(uniform)                                                                                     \
    X(uniform_lu)                                                                                  \
    X(uniform_cholesky)

#define X(name) extern const bench_actor bench_actor_##name;
BENCH_ACTORS(X)
#undef X

/* Whether a detail exists on the back end and is asked for. */
bool bench_actor_asked(const bench_actor *actor, const bench_settings *settings,
                       tulle_backend backend, int detail);

/* Whether a detail, or the problem, is to be run from a CUDA graph. */
bool bench_actor_captured(const bench_actor *actor, int detail);
bool bench_acting_captured(const bench_problem *problem);

/* "lower", or "". */
const char *bench_actor_detail(const bench_actor *actor, int detail);

/* What is given stays the caller's until the problem is closed. After a failure there is nothing to
 * close. */
tulle_status bench_acting_open(tulle_ctx *ctx, const bench_actor *actor, const bench_given *given,
                               bench_problem *problem);

/* A copy of the problem's matrix with a pattern of its own, of which nothing is known. */
tulle_status bench_acting_copy(const bench_problem *problem, tulle_mat **A);

#endif
