/* SPDX-License-Identifier: Apache-2.0 */
/* A system of a place, with its operator: what solvers are tested on. */
#ifndef TESTS_PROBLEMS_H
#define TESTS_PROBLEMS_H

#include "systems.h"

typedef struct {
    host_system s;
    tulle_mat *A;
    tulle_linop *L;
    tulle_linop *M; /* Jacobi's; NULL: not made */
    tulle_vec *b, *x;
} problem;

/* Takes s; b and x are random. */
problem problem_of(tulle_ctx *ctx, host_system s, tulle_type type);
problem problem_with_jacobi(tulle_ctx *ctx, host_system s, tulle_type type);

/* Solves A x = b with a solver of its own, which succeeds in whatever outcome. */
tulle_solver_report problem_solve(tulle_ctx *ctx, const problem *p, tulle_linop *M,
                                  const tulle_solver_options *o);

/* What x is; the caller frees it. */
double *problem_x(tulle_ctx *ctx, const problem *p);

/* Unknowns along a side of a grid that is not too large for the place. */
int problem_side(const char *where);

void problem_free(problem *p);

#endif
