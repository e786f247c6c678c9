/* SPDX-License-Identifier: Apache-2.0 */
/* An operation, set up once for the command of its name, for the benchmark and for the papers'
 * experiments: it computes on given arrays, as op(T)^-1 B, prepared once and called many times, or
 * makes a new matrix in each call (making.h). To add one: a file with a `const trial_operation
 * trial_operation_NAME`, and a row in TRIAL_OPERATIONS. A library that the operation is measured
 * against names it in its bench_peer (peer.h). */
#ifndef TRIAL_OPERATION_H
#define TRIAL_OPERATION_H

#include "tools/common/hierarchy.h"
#include "tools/common/timing.h"
#include "tools/common/verify.h"
#include "trials/field.h"
#include "trials/limit.h"
#include "trials/problem.h"
#include "trials/task.h"

/* TRIAL_NARROW: the most columns of multivectors that batches and qr take (vec.h, batch.h). */
enum { TRIAL_DETAILS = 9, TRIAL_NARROW = 32 };

/* Holds the details that are wished for, each or TRIAL_BOTH; of types, TRIAL_BOTH_TYPES. */
enum { TRIAL_BOTH = 2, TRIAL_BOTH_TYPES = 3 };
typedef struct trial_wish {
    int part;    /* tulle_part */
    int kind;    /* tulle_factor_kind */
    int fill;    /* a level of fill, or TULLE_FILL_ALL; 0: none */
    int precond; /* TRIAL_SOLVE_... of solve.h */
} trial_wish;

/* Holds what a problem is made from, which stays the caller's until the problem is closed. */
typedef struct trial_given {
    /* The mesh and its matrix, where several problems share them; else NULL. */
    const struct trial_mesh_system *system;
    tulle_mat *A;       /* in the format that is measured; NULL: the operation takes a number */
    tulle_mat *csr;     /* A in CSR, for the check */
    tulle_mat *B;       /* the second matrix, of an operation that makes a matrix; NULL: none */
    const char *second; /* the name of B; NULL: there is no B */
    const char *mesh;   /* the specification of a mesh, of an operation on meshes */
    int64_t n;          /* rows of A, or the number that the operation takes */
    int64_t count;      /* problems beside each other */
    tulle_type type;
    trial_block block;
    tulle_trans trans;
    int detail;                      /* index among the operation's details */
    const tool_hierarchy *hierarchy; /* options of multigrid's hierarchy; NULL: the defaults */
    int fill;                        /* fill of factors, as the settings have it */
    uint64_t seed;
    bool check;         /* true when results are to be checked */
    tool_sample sample; /* tasks of a batch that are checked */
    trial_check *known; /* check of the same problem in another format; NULL: nothing is known */
    trial_limit *limit; /* limit of the time of a call that makes a matrix; NULL: none */
    /* True when the problem is run by itself, so that it may act on A and use what A's pattern
     * knows already; else every preparation begins with a copy of A. */
    bool alone;
    const void *options; /* the operation's own, as trisolve.h has them; NULL: the benchmark's */
    tool_budget budget;
} trial_given;

typedef struct trial_maker trial_maker;

struct trial_operation {
    const char *name;       /* "trisolve", as the command line has it */
    const char *also;       /* a second name on the command line; NULL: none */
    const char *kernels;    /* the operation of the library whose kernels run; NULL: none do */
    const char *function;   /* the kernel of a row where none was asked for, "tulle_add" */
    const char *formula;    /* "T X = B" */
    const char *transposed; /* the formula with the transpose; NULL: --trans is refused */
    bool general;           /* A may be rectangular and in any format; else it is square */
    bool sized;             /* numbers, sizes of vectors, are given instead of matrices */
    bool meshes;            /* specifications of meshes are given instead of matrices */
    bool many;              /* numbers may be given as COUNTxN: so many problems of N */
    int64_t most;           /* the largest number that may be given; 0: any */
    bool blocks;            /* multivectors may be asked for */
    bool in_blocks;       /* A is in BSR, as --format says; else in blocks of the size that pays */
    int64_t most_vectors; /* the most columns of a multivector; 0: any number */
    bool iterates;        /* the operation is an iterative method, with preconditioners as
                             details */
    int captured; /* the first of the last details, run from a CUDA graph, on a GPU; 0: none */
    const char *detail[TRIAL_DETAILS]; /* ways to ask for it: "lower", "upper"; [0] NULL: one */
    /* Fields that its rows alone have, behind them TRIAL_KEYS, and whose values `prepare` leaves in
     * the task, or a call that reports (making.h). NULL: there are none. */
    const trial_key *fields;
    bool hierarchy;           /* options of multigrid's hierarchy may be given */
    bool warms_up;            /* `prepare` warms up itself, and is called once */
    const trial_maker *makes; /* the maker of an operation that makes a matrix (making.h); else NULL
                               */
    /* Says whether a detail is wished for. NULL: all are. */
    bool (*asked)(const trial_wish *wish, int detail);
    /* Makes of a square matrix the one that is computed with, in CSR. Fails with TULLE_UNSUPPORTED
     * where the matrix is none for the operation. NULL: one with a dominant diagonal. */
    tulle_status (*choose)(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B);
    /* Fills x, y, own, minimal_bytes, flops and levels of a problem whose other members are there,
     * and of an iterative method its numbers; `close` follows, also after a failure. Fails with
     * TULLE_UNSUPPORTED where the operation does not have the problem. */
    tulle_status (*open)(trial_problem *problem, const trial_given *given);
    void (*close)(trial_problem *problem);
    /* Prepares tulle's own way, as a peer's (peer.h): anew, with nothing that is kept from before.
     */
    tulle_status (*prepare)(const trial_problem *problem, trial_task *task);
    tulle_status (*run)(void *state);
    /* Does alone the part of a call that brings operands into another form; *converts: whether a
     * call has that part. NULL: no call has. */
    tulle_status (*convert)(void *state, bool *converts);
    /* Gives the result of a call back, which a sample does not time, where each call makes its
     * result anew. NULL: results stay in the problem's y. */
    void (*drop)(void *state);
    void (*finish)(void *state);
    /* Makes everything as it must be before a call whose result is checked. NULL: nothing is to be
     * done. */
    tulle_status (*reset)(const trial_problem *problem);
    /* Finds the error, in units of its bound, of the last call of tulle's own (state), or of a peer
     * (NULL), which leaves its result in the problem's y. */
    tulle_status (*error)(const trial_problem *problem, void *state, double *units);
    /* Returns the number of the result that has the error that was found last, and the number that
     * is due there. NULL: the error has no such place. */
    const tool_error_found *(*worst)(const trial_problem *problem);
};

/* The first one is measured where none is asked for. */
#define TRIAL_OPERATIONS(X)                                                                        \
    X(spmv)                                                                                        \
    X(spgemm)                                                                                      \
    X(masked)                                                                                      \
    X(update)                                                                                      \
    X(blocks)                                                                                      \
    X(blocks_update)                                                                               \
    X(galerkin)                                                                                    \
    X(add)                                                                                         \
    X(add_values)                                                                                  \
    X(transpose)                                                                                   \
    X(entrywise)                                                                                   \
    X(part)                                                                                        \
    X(row_sums)                                                                                    \
    X(mat_scale)                                                                                   \
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
    X(solve)                                                                                       \
    X(amg)                                                                                         \
    X(amg_nodes)                                                                                   \
    X(assemble)                                                                                    \
    X(diffusion)                                                                                   \
    X(local)                                                                                       \
    X(matrix_free)                                                                                 \
    X(mesh_cg)                                                                                     \
    X(uniform)                                                                                     \
    X(uniform_lu)                                                                                  \
    X(uniform_cholesky)

#define X(name) extern const trial_operation trial_operation_##name;
TRIAL_OPERATIONS(X)
#undef X

/* Returns whether a detail exists on the back end and is asked for. */
bool trial_operation_asked(const trial_operation *operation, const trial_wish *wish,
                           tulle_backend backend, int detail);

/* Return whether a detail, or the problem, is to be run from a CUDA graph. */
bool trial_operation_captured(const trial_operation *operation, int detail);
bool trial_problem_captured(const trial_problem *problem);

/* Makes everything as it must be before a call whose result is checked. */
tulle_status trial_problem_reset(const trial_problem *problem);

/* Returns "lower", or "". */
const char *trial_operation_detail(const trial_operation *operation, int detail);

/* Opens a problem of an operation. After a failure there is nothing to close. */
tulle_status trial_problem_open(tulle_ctx *ctx, const trial_operation *operation,
                                const trial_given *given, trial_problem *problem);

/* Copies the problem's matrix, to one with a pattern of its own of which nothing is known. */
tulle_status trial_problem_copy(const trial_problem *problem, tulle_mat **A);

#endif
