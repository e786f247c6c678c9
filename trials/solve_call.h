/* SPDX-License-Identifier: Apache-2.0 */
/* op(A) x = b by tulle_solve, as one trial: the problem's A is op(A), its x is b, and its y is x.
 * The check reads A itself (trial_given.csr) and op. */
#ifndef TRIAL_SOLVE_CALL_H
#define TRIAL_SOLVE_CALL_H

#include "trials/operation.h"

/* Holds what a trial may choose (trial_given.options); the benchmark takes a random b and the way
 * of the operation's detail. */
typedef struct trial_solve_options {
    tulle_solve_options how; /* options of the call, but for the guess */
    const char *b;           /* "ones", "random" or a file */
    const void *loads;       /* b in host memory, of A's type, in place of `b`; or NULL */
    const char *minus_y;     /* file of -b, in place of `b`; or NULL */
    const char *guess;       /* first x: "ones", "random" or a file; NULL: 0 */
    const void *held;        /* values in host memory, of A's type, that x keeps in some rows */
    const uint8_t *is_held;  /* for each row 1 where x keeps a value, else 0; NULL: nowhere */
} trial_solve_options;

/* The norms of the right-hand side that is farthest from its limit, in long double. */
typedef struct trial_solve_found {
    int64_t column;          /* index of that right-hand side */
    double b_norm, residual; /* |b| and |b - op(A) x| */
    double of_limit;         /* the residual over the largest one that the report allows */
    bool judged;             /* true when the solver converged in the norm of that residual */
    bool right;              /* true when all residuals are judged and as small as allowed */
} trial_solve_found;

/* Return the report of the last call, and b in host memory. */
const tulle_solve_report *trial_solve_reported(const trial_problem *problem);
const void *trial_solve_b(const trial_problem *problem);

/* Finds the residuals of x, the result of the last call in host memory. */
tulle_status trial_solve_verify(const trial_problem *problem, const void *x,
                                trial_solve_found *found);

/* Gives an x that was verified the values that it keeps. */
void trial_solve_give_held(const trial_problem *problem, void *x);

#endif
