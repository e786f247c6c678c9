/* SPDX-License-Identifier: Apache-2.0 */
/* One call for a system whose rows are shared by processes. All processes choose the same, as they
 * choose by numbers that they have gathered from each other. */
#ifndef TULLE_SOLVE_SHARED_H
#define TULLE_SOLVE_SHARED_H

#include "dist/dist.h"
#include "solve/report.h"

/* Numbers that decide, summed up over all processes. */
typedef struct tulle__shared_facts {
    bool symmetric;            /* A is symmetric but for rounding, as far as products tell */
    int64_t diagonal_positive; /* number of diagonal entries above 0 */
    int64_t diagonal_zero;     /* number of rows whose diagonal entry is 0 or not stored */
    int64_t not_dominant;      /* number of rows whose diagonal entry is not dominant, or NaN */
    int64_t off_diagonal, off_positive; /* entries off the diagonals of processes' blocks, and those
                                           above 0 */
    int64_t not_finite;                 /* number of rows with an entry that is Inf or NaN */
    double ratio, making; /* largest tulle__cost.ratio and tulle__cost.making of any process */
} tulle__shared_facts;

typedef struct tulle__shared {
    tulle_ctx *ctx;
    tulle_dist_mat *A;
    tulle_linop *L; /* the operator of A; owned */
    const tulle_vec *b;
    tulle_vec *x;
    const tulle_solve_options *options;
    tulle_solve_report *report;
    bool method_open, precond_open; /* true for what is to be chosen */
    tulle__way way;                 /* way of the attempt that comes next, or came last */
    bool tried_factors, tried_minres, tried_many, tried_multigrid;
    tulle__shared_facts facts;
    double begun;                /* time when the call began, by tulle__seconds */
    tulle_vec *best;             /* copy of the best x so far; owned */
    tulle__column_state *column; /* [columns of b] owned */
    bool x_is_best;              /* the last attempt has left the best x of all right-hand sides */
} tulle__shared;

/* Counts facts, in all processes. Communicates. */
tulle_status tulle__shared_count(tulle__shared *s);

/* Chooses the way of the first attempt. */
void tulle__shared_choose(tulle__shared *s);

/* Chooses another preconditioner where that of the way cannot be made, or is of no use; false: none
 * is left. */
bool tulle__shared_choose_precond(tulle__shared *s, const char *why);

/* Chooses the way after an attempt with this outcome; false: none is left. */
bool tulle__shared_choose_next(tulle__shared *s, tulle_outcome outcome);

/* Attempts until the system is solved, or nothing is left to be tried. */
tulle_status tulle__shared_go(tulle__shared *s);

/* Tells the other processes how this one fares: returns its own failure, or that of another one. A
 * failure that has spoilt the communicator is told by that. */
static inline tulle_status tulle__shared_agree(const tulle__shared *s, tulle_status here) {
    const tulle_status all = tulle__comm_agree(s->A->comm, "tulle_dist_solve", here, NULL, 0);
    return here != TULLE_OK ? here : all;
}

#endif
