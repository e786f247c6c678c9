/* SPDX-License-Identifier: Apache-2.0 */
/* Systems that the threads of ranks.h solve together. */
#ifndef TESTS_JOINT_H
#define TESTS_JOINT_H

#include "ranks.h"
#include "systems.h"

/* Preconditioners of each process. */
typedef enum {
    WITH_NONE,
    WITH_JACOBI,
    WITH_BLOCK,
    WITH_ILU,
    WITH_POLYNOMIAL,
    WITH_MULTIGRID,
    WITH_COUNT
} preconditioner;

/* A system, how it is solved, and how that went. */
typedef struct joint {
    host_system s;
    tulle_type type;
    preconditioner with;
    bool none_for_1;    /* rank 1 has no rows */
    bool monitor_for_1; /* rank 1 alone has the monitor */
    tulle_solver_options options;
    int fail_at; /* allocation of rank 1 that fails */
    const double *b;
    double *x; /* the solution, gathered in rank 0 */
    tulle_solver_report report[MOST_RANKS];
} joint;

/* A system on a grid of side^2 points, with room for its right-hand side, which is filled, and for
 * its solution. */
enum { JOINT_SIDE = 12, JOINT_N = JOINT_SIDE * JOINT_SIDE };
joint joint_make(int side, double convection, double *b, double *x);

/* Number of rows of a rank, and the first one. */
int64_t joint_share(const joint *t, int ranks, int rank, int64_t *first);

/* What threads do, where p->data is the system: make this process's part of the matrix; solve. */
tulle_status joint_matrix(const process *p, tulle_dist_mat **A);
tulle_status joint_solve(process *p);

/* Solves by so many threads, which agree on how it went. */
tulle_solver_report joint_run(const char *where, int ranks, joint *t);

/* |b - A x| over |b|, in long double. */
double joint_residual(const joint *t);

#endif
