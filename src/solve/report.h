/* SPDX-License-Identifier: Apache-2.0 */
/* The report of attempts at a system, one after another, and the right-hand sides under way. */
#ifndef TULLE_SOLVE_REPORT_H
#define TULLE_SOLVE_REPORT_H

#include "solve/parts.h"

/* A right-hand side under way. */
typedef struct tulle__column_state {
    double best_norm;           /* tested norm of b - A best, once an attempt has iterated */
    bool x_is_best;             /* the last attempt has left the best x */
    tulle_solver_report report; /* report of the last attempt */
} tulle__column_state;

/* Returns the milliseconds since a time of tulle__seconds. */
double tulle__ms_since(double start);

/* Returns the attempt that began last. */
tulle_solve_attempt *tulle__attempt_last(tulle_solve_report *report);

/* Adds an attempt with the method and the preconditioner of a way. */
void tulle__attempt_begin(tulle_solve_report *report, const tulle__way *way);

/* Returns the iterations of all attempts so far. */
int64_t tulle__attempts_iterations(const tulle_solve_report *report);

/* Returns the number of attempts that are allowed. */
int tulle__attempts_most(const tulle_solve_options *options);

/* Limits the iterations of the next attempt by what the attempts before have left, and by those of
 * the way's trial, where another attempt may follow. */
void tulle__attempt_limit(const tulle_solve_report *report, const tulle_solve_options *options,
                          int trial, tulle_solver_options *o);

/* Reports the last attempt as the one whose x is handed out, and keeps its preconditioner where the
 * caller asks for it. */
void tulle__attempt_note(tulle_solve_report *report, const tulle__way *way,
                         const tulle__parts *parts, const tulle_solve_options *options,
                         const tulle_solver_report *solver);

/* Takes the reports of the last attempt at right-hand sides. */
tulle_status tulle__columns_take(const tulle_solver *S, tulle__column_state *columns);

/* Finds out whether an attempt has left the best x of a right-hand side; begins: its norms do not
 * compare with those before. An attempt begins at the best x, so norms that different
 * preconditioners have a part in compare within an attempt. After NOT_A_NUMBER x may be any
 * numbers, and the norm that of others. */
void tulle__column_judge(tulle__column_state *column, bool begins);

/* Copies the columns of right-hand sides of which the last attempt has left the best x, or of all
 * others. */
tulle_status tulle__columns_copy(tulle_ctx *ctx, const tulle__column_state *columns, int64_t count,
                                 bool best, const tulle_vec *from, tulle_vec *to);

/* Reports the norms, and the limit, of the right-hand side whose best norm is the largest multiple
 * of its limit; nothing without right-hand sides. */
void tulle__columns_report(const tulle__column_state *columns, int64_t count,
                           tulle_solver_report *report);

#endif
