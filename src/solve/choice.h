/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of the next attempt, from the facts of the matrix and the attempts before. */
#ifndef TULLE_SOLVE_CHOICE_H
#define TULLE_SOLVE_CHOICE_H

#include "solve/levels.h"
#include "solve/parts.h"

typedef struct tulle__choice {
    tulle_ctx *ctx;
    tulle_mat *A; /* the matrix that is iterated with */
    tulle_mat_info info;
    const tulle_solve_options *options;
    bool method_open, precond_open; /* true for what is to be chosen */
    tulle__way given;               /* the way's parts that the caller gave */
    tulle_facts facts;
    tulle__way way;          /* way of the attempt that comes next, or came last */
    bool tried_ic, tried_lu; /* factors L L^T, or L U, without fill were chosen before */
    bool tried_minres;       /* MINRES was chosen before */
    bool tried_long;         /* GMRES with many vectors was chosen before */
    bool short_first;        /* BiCGStab is on trial in the place of GMRES */
    bool nearly;    /* CG is on trial for an A that is nearly symmetric; false once CG has gone */
    bool tried_amg; /* multigrid was chosen before */
    tulle__precond single; /* preconditioner that multigrid was chosen instead of */
    int64_t single_block;  /* block size of the way with that preconditioner */
    double slow;           /* mean factor of the norm in the first iterations of the last attempt,
                              where it was ended for that; else 0 */
    bool stalled;          /* the last attempt was ended because the norm had not fallen */
    bool late;             /* the last attempt was ended at twice way.stall, as too much was left */
    bool sign_open;        /* the caller's A may be negated */
    bool negate;           /* A and b are to be negated first, and the way is to be chosen then */
    bool negated;          /* A is the caller's matrix times -1 */
    bool tried_complete;   /* complete factors were chosen before */
    bool tried_in_place;   /* complete factors were chosen for rows where they came */
    int trials;            /* iterations on trial so far, of GMRES or of CG */
    double complete;       /* cost of complete factors in such iterations; 0: not counted */
    tulle__levels levels;  /* counts of the rows of A as they stand; levels 0: not counted */
    tulle_order *order;    /* owned; order in which complete factors were counted, or NULL */
    double order_ms;       /* time of the search for it, which counts as choosing until factors
                              are made in it; 0: it counts elsewhere */
    double iteration;      /* tulle__cost.iteration of A */
    double coarse;         /* cost of multigrid in iterations of CG; infinite: it is no choice */
    bool tried_permuted;   /* another order of the rows was chosen before */
    bool permute;          /* rows are to be put in the order of tulle_order_diagonal first */
    bool permuted;         /* A has its rows in that order */
    bool restore;          /* rows are to be put back first */
    char method_why[TULLE_WHY], precond_why[TULLE_WHY], format_why[TULLE_WHY];
} tulle__choice;

/* Counts facts and chooses the way of the first attempt; or sets `negate` alone. */
tulle_status tulle__choose(tulle__choice *choice);

/* Chooses the way after an attempt whose parts could not be made, for the reason in `why`; false:
 * none is left. */
bool tulle__choose_other_precond(tulle__choice *choice, const char *why);

/* Chooses the way that follows an attempt with this outcome; *found false: no way is left. */
tulle_status tulle__choose_next(tulle__choice *choice, tulle_outcome outcome, bool *found);

void tulle__choice_free(tulle__choice *choice);

/* Returns the preconditioner of the way, as people name it: "IC(0)". */
const char *tulle__precond_title(const tulle__choice *choice);

#endif
