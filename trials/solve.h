/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative methods: A x = b from x = 0, a number of iterations that is the same for all who are
 * measured. b is the problem's x, and x its y. */
#ifndef TRIAL_SOLVE_H
#define TRIAL_SOLVE_H

#include "tools/common/csr.h"
#include "trials/operation.h"

/* Preconditioners, by the operations' details. With ILU(0) a call is a solution to the tolerance
 * that is tulle's default, and what came before it counts. */
enum { TRIAL_SOLVE_NONE, TRIAL_SOLVE_JACOBI, TRIAL_SOLVE_ILU, TRIAL_SOLVE_ALL };
#define TRIAL_SOLVE_DETAILS                                                                        \
    { "none", "jacobi", "ilu" }

/* GMRES begins anew after so many vectors. */
enum { TRIAL_SOLVE_RESTART = 30 };

/* The `own` of such a problem. */
typedef struct trial_solve {
    tulle_method method;
    double allowed;      /* largest |b - A x| allowed at the end, rounding errors apart */
    int64_t evaluations; /* number of evaluations of b - A x whose rounding errors are allowed
                            beside those of the problem's iterations */
    /* For the check; b NULL: none. */
    tool_csr A;
    void *b;
} trial_solve;

/* The work of an iteration: number of products, the fewest bytes and the operations of all, without
 * those of factors. */
typedef struct trial_solve_work {
    int products;
    int64_t vector_bytes; /* bytes of what is no product */
    double flops;
} trial_solve_work;
trial_solve_work trial_solve_work_of(tulle_method method, int detail, const tulle_mat_info *A);

/* Returns the method of an operation that iterates. */
tulle_method trial_solve_method(const trial_operation *operation);

/* A solver of tulle's with all that it needs. */
typedef struct trial_solver {
    tulle_mat *own; /* a copy of the problem's matrix, with ILU(0); else NULL */
    tulle_factor *F;
    tulle_linop *A, *M;
    tulle_solver *S;
    double setup_ms; /* time of making the other members, without the copy */
} trial_solver;

/* Returns the options of a solution of so many iterations, neither more nor fewer; with ILU(0), of
 * no more. */
tulle_solver_options trial_solver_options(const trial_problem *problem, int64_t iterations);

/* Makes a solver for the problem. After a failure there is nothing to close. */
tulle_status trial_solver_open(const trial_problem *problem, const tulle_solver_options *options,
                               trial_solver *solver);
void trial_solver_close(trial_solver *solver);

/* Finds out how many iterations a call has, and what is allowed after them. TULLE_UNSUPPORTED: the
 * method is done before a few of them. */
tulle_status trial_solve_length(trial_problem *problem, const tool_budget *budget);

/* Reads A and b for the check, where results are checked; to be closed also after a failure. */
tulle_status trial_solve_check_open(const trial_problem *problem, const trial_given *given);
void trial_solve_check_close(trial_solve *solve);

/* Finds |b - A x| in units of the largest allowed; NaN: not checked. */
tulle_status trial_solve_error(const trial_problem *problem, double *units);

#endif
