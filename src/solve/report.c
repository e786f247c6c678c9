/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/report.h"

#include <string.h>

#include "core/error.h"
#include "core/stopwatch.h"
#include "dense/dense.h"
#include "operator/linop.h"
#include "solver/solver.h"

double tulle__ms_since(double start) {
    return 1e3 * (tulle__seconds() - start);
}

tulle_solve_attempt *tulle__attempt_last(tulle_solve_report *report) {
    return &report->attempt[report->attempts - 1];
}

void tulle__attempt_begin(tulle_solve_report *report, const tulle__way *way) {
    report->attempts++;
    tulle_solve_attempt *a = tulle__attempt_last(report);
    *a = (tulle_solve_attempt){.method = way->method, .row = -1};
    tulle__precond_name(way->precond, a->precond);
}

int64_t tulle__attempts_iterations(const tulle_solve_report *report) {
    int64_t iterations = 0;
    for (int a = 0; a < report->attempts; a++) iterations += report->attempt[a].iterations;
    return iterations;
}

int tulle__attempts_most(const tulle_solve_options *options) {
    return options->max_attempts > 0 ? options->max_attempts : TULLE_MOST_ATTEMPTS;
}

void tulle__attempt_limit(const tulle_solve_report *report, const tulle_solve_options *options,
                          int trial, tulle_solver_options *o) {
    if (o->max_iterations > 0) o->max_iterations -= tulle__attempts_iterations(report);
    if (trial == 0 || report->attempts >= tulle__attempts_most(options)) return;
    if (o->max_iterations == 0 || o->max_iterations > trial) o->max_iterations = trial;
}

void tulle__attempt_note(tulle_solve_report *report, const tulle__way *way,
                         const tulle__parts *parts, const tulle_solve_options *options,
                         const tulle_solver_report *solver) {
    tulle_linop **keeps = options->keep_precond;
    report->solver = *solver;
    report->used = report->attempts - 1;
    report->method = way->method;
    report->restart = way->restart;
    report->factors = parts->factors;
    report->hierarchy = parts->hierarchy;
    memcpy(report->precond, tulle__attempt_last(report)->precond, sizeof report->precond);
    if (!keeps) return;
    tulle_linop_destroy(*keeps);
    *keeps = tulle__linop_retain(parts->M);
}

tulle_status tulle__columns_take(const tulle_solver *S, tulle__column_state *columns) {
    const tulle_solver_report *reports;
    int64_t count;
    TULLE__TRY(tulle_solver_reports(S, &reports, &count));
    for (int64_t j = 0; j < count; j++) columns[j].report = reports[j];
    return TULLE_OK;
}

void tulle__column_judge(tulle__column_state *column, bool begins) {
    const tulle_solver_report *report = &column->report;
    if (begins) column->best_norm = report->start_norm;
    column->x_is_best =
        report->outcome == TULLE_CONVERGED ||
        (report->outcome != TULLE_NOT_A_NUMBER && report->norm <= column->best_norm);
    if (column->x_is_best) column->best_norm = report->norm;
}

tulle_status tulle__columns_copy(tulle_ctx *ctx, const tulle__column_state *columns, int64_t count,
                                 bool best, const tulle_vec *from, tulle_vec *to) {
    for (int64_t j = 0; j < count; j++) {
        if (columns[j].x_is_best != best) continue;
        const tulle_vec x = tulle__column_of(from, j);
        tulle_vec y = tulle__column_of(to, j);
        TULLE__TRY(tulle_vec_copy(ctx, &x, &y));
    }
    return TULLE_OK;
}

/* Returns how many times its limit the best norm of a right-hand side is. */
static double excess(const tulle__column_state *column) {
    return tulle__excess(column->best_norm, column->report.limit);
}

void tulle__columns_report(const tulle__column_state *columns, int64_t count,
                           tulle_solver_report *report) {
    const tulle__column_state *worst = columns;
    if (count == 0) return;
    for (int64_t j = 1; j < count; j++) {
        if (excess(columns + j) > excess(worst)) worst = columns + j;
    }
    report->start_norm = worst->report.start_norm;
    report->norm = worst->best_norm;
    report->limit = worst->report.limit;
}
