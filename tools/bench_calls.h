/* SPDX-License-Identifier: Apache-2.0 */
/* One member's part of a matrix that is measured, and the calls that are measured with it. */
#ifndef TOOL_BENCH_CALLS_H
#define TOOL_BENCH_CALLS_H

#include "bench/row.h"
#include "bench/settings.h"
#include "crew.h"
#include "shared_rows.h"

typedef struct tool_measured tool_measured;

/* A kind of call. Functions fail in all members where they fail in one. */
typedef struct tool_call_kind {
    /* Prepares the way of the problem's detail, notes in the problem what is known of it then, and
     * in the row what preparing has found; may leave things to `close`. Fails with
     * TULLE_UNSUPPORTED where there is no such way. */
    tulle_status (*open)(tool_measured *m, trial_problem *p, bench_row *row);
    tulle_status (*call)(void *measured);
    /* Finds the error of the last call in units of what is allowed. */
    tulle_status (*error)(tool_measured *m, double *units);
    tulle_status (*name)(const tool_measured *m, bench_row *row);
    void (*close)(tool_measured *m);
} tool_call_kind;

struct tool_measured {
    const tool_member *member;
    const bench_settings *settings;
    const tool_call_kind *kind;
    tulle_dist_mat *A;
    tulle_dist_order *P; /* order of the rows; NULL: they are as they stand */
    tulle_dist_mat_info info;
    tulle_vec *x, *y; /* a product's x and y; b and x of a system */
    tool_shared_rows rows;
    bench_place place;
    bench_matrix matrix;
    /* The members below are of one way. */
    tulle_solve_options way;
    char method[TULLE_PRECOND_NAME];
    tulle_solve_report report;
    tulle_method by;
    tulle_factor *F;
    tulle_linop *L, *M;
    tulle_solver *S;
    int64_t iterations; /* number of iterations that a call must have */
    double allowed;     /* largest |b - A x| that is allowed, rounding errors apart */
};

/* Kinds of calls: y := A x; tulle_dist_solve; iterations of a method; solutions with multigrid. */
extern const tool_call_kind tool_call_product, tool_call_solution, tool_call_method,
    tool_call_multigrid;

/* Returns the kind of an operation; NULL: members cannot share it. */
const tool_call_kind *tool_call_kind_of(const trial_operation *operation);

/* Gathers a number of all members and returns the largest of them, or their sum. */
tulle_status tool_measured_join(const tool_measured *m, double own, bool adds, double *result);

/* Times calls that all members begin together, as often as the budget says; a sample is that of the
 * slowest member. */
tulle_status tool_measured_time(const tool_measured *m, tool_call call, void *user,
                                tool_timing *timing);

#endif
