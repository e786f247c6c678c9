/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts at one system, one after another. */
#ifndef TULLE_SOLVE_ATTEMPTS_H
#define TULLE_SOLVE_ATTEMPTS_H

#include "solve/choice.h"
#include "solve/limits.h"
#include "solve/report.h"

/* A system under way. */
typedef struct tulle__run {
    tulle_ctx *ctx;
    const tulle_vec *b;
    tulle_vec *x;
    tulle_vec *turned_b; /* -b, or b in the order of permuted rows; NULL: b is as it came */
    tulle_mat *outer;    /* A in CSR, or in a format that is kept */
    tulle_mat *rows;     /* outer, or, where entries of A are repeated, A in CSR before their sums
                            were rounded: residuals are computed with these rows */
    tulle_mat *inner;    /* outer; in mixed precision `scale` times outer, in f32 */
    tulle_order *order;  /* order that the rows were permuted to; NULL: they never were */
    double scale;
    tulle__choice choice;
    tulle__limits limits;
    int64_t columns; /* number of right-hand sides, columns of b and x */
    tulle_vec *best; /* copy of the best x so far, where the next attempt begins; NULL: 0 */
    tulle__column_state *column; /* [columns] what is known of each right-hand side */
    bool x_is_best;              /* the last attempt has left the best x of all right-hand sides */
    bool improved;               /* an attempt has left an x that is no worse than the start */
    bool iterated;               /* an attempt has iterated */
    tulle_outcome end; /* reason of a limit, or of the monitor, for which no attempt follows;
                          TULLE_CONVERGED: none */
    tulle_type type;   /* type of b and x */
    tulle_solve_report *report;
} tulle__run;

/* Chooses and attempts until the system is solved, or nothing is left to be tried. */
tulle_status tulle__attempts_go(tulle__run *run);

#endif
