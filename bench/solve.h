/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative methods: A x = b from x = 0, a number of iterations that is the same for all who are
 * measured. b is the problem's x, and x its y. */
#ifndef BENCH_SOLVE_H
#define BENCH_SOLVE_H

#include "bench/operation.h"
#include "tools/common/csr.h"

/* Preconditioners, by the operations' details. With ILU(0) a call is a solution to the tolerance
 * that is tulle's default, and what came before it counts. */
enum { BENCH_SOLVE_NONE, BENCH_SOLVE_JACOBI, BENCH_SOLVE_ILU, BENCH_SOLVE_ALL };
#define BENCH_SOLVE_DETAILS                                                                        \
    { "none", "jacobi", "ilu" }

/* GMRES begins anew after so many vectors. */
enum { BENCH_SOLVE_RESTART = 30 };

/* The `own` of such a problem. */
typedef struct bench_solve {
    tulle_method method;
    double allowed; /* what |b - A x| may be at the end, rounding errors apart */
    /* For the check; b NULL: none. */
    tool_csr A;
    void *b;
} bench_solve;

/* A solver of tulle's with all that it needs. */
typedef struct bench_solver {
    tulle_mat *own; /* with ILU(0): a copy of the problem's matrix */
    tulle_factor *F;
    tulle_linop *A, *M;
    tulle_solver *S;
    double setup_ms; /* what making them took, but for the copy */
} bench_solver;

/* How to solve: for so many iterations, neither more nor fewer; with ILU(0), for no more. */
tulle_solve_options bench_solver_options(const bench_problem *problem, int64_t iterations);

/* After a failure there is nothing to close. */
tulle_status bench_solver_open(const bench_problem *problem, const tulle_solve_options *options,
                               bench_solver *solver);
void bench_solver_close(bench_solver *solver);

/* Finds out how many iterations a call has, and what is allowed after them. TULLE_UNSUPPORTED: the
 * method is done before a few of them. */
tulle_status bench_solve_length(bench_problem *problem, const tool_budget *budget);

/* |b - A x| in units of what is allowed; NaN: not checked. */
tulle_status bench_solve_error(const bench_problem *problem, double *units);

#endif
