/* SPDX-License-Identifier: Apache-2.0 */
/* Algebraic multigrid: a hierarchy of A is made, and A x = b is solved with one cycle as the
 * preconditioner, from x = 0 to a relative residual that is computed anew from x. b is the
 * problem's x, and x its y. */
#ifndef TRIAL_AMG_H
#define TRIAL_AMG_H

#include "trials/solve.h"

/* Places of the values of a row: the order of the operation's fields. */
enum {
    TRIAL_AMG_SPLIT,
    TRIAL_AMG_INTERPOLATION,
    TRIAL_AMG_PRODUCT,
    TRIAL_AMG_REST,
    TRIAL_AMG_UPDATE,
    TRIAL_AMG_CYCLE,
    TRIAL_AMG_ITERATIONS,
    TRIAL_AMG_LEVELS,
    TRIAL_AMG_OPERATOR,
    TRIAL_AMG_GRID,
    TRIAL_AMG_HELD,
    TRIAL_AMG_PEAK,
    TRIAL_AMG_FACTOR
};

/* Number of setups that are timed, of which the median counts: the first one warms up. */
enum { TRIAL_AMG_SETUPS = 3 };

/* The `own` of such a problem. */
typedef struct trial_amg {
    trial_solve solve;        /* method and check: the first member */
    double tolerance;         /* largest |b - A x| / |b| allowed */
    int64_t bytes;            /* bytes of A */
    tool_hierarchy hierarchy; /* options of the hierarchy */
    const tulle_mat *handed;  /* A as other libraries get it; not owned */
    tool_budget budget;
} trial_amg;

extern const trial_key trial_amg_fields[];

/* Begins a problem with the default tolerance and the options that are given; own: belongs to the
 * problem. Its A, x and y are there before trial_amg_settle, which chooses the method, counts the
 * fewest bytes and opens the check, for which given->csr has A. */
void trial_amg_begin(trial_problem *p, const trial_given *given, trial_amg *own);
tulle_status trial_amg_settle(trial_problem *p, const trial_given *given);

/* The function `error` of the operation. */
tulle_status trial_amg_error(const trial_problem *p, void *state, double *units);

#endif
