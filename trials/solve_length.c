/* SPDX-License-Identifier: Apache-2.0 */
/* The number of iterations that are measured: so many that starting and ending count for little,
 * and so few that no method gets where numbers underflow. */
#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "trials/solve.h"

/* Numbers of iterations are multiples of it; and what is wanted, within what a call may take: ten
 * times the seconds for samples. */
enum { UNIT = 10, WANTED = 200, MOST = 2000, TIMES = 10 };
static const double least_ms = 5;

/* Least ratio of a norm to the norm at the start. Down to these, squares of norms are numbers of
 * the type, and what methods divide by is more than rounding errors, below which some begin anew or
 * end, and a pipelined one makes x worse. */
static const double least_norm[] = {[TULLE_F32] = 1e-6, [TULLE_F64] = 1e-14};
/* Least ratio of a norm to the largest norm before it, which leaves that many rounding errors in
 * the norm that is carried. */
static const double least_of_peak[] = {[TULLE_F32] = 1e-6, [TULLE_F64] = 1e-12};

/* Factor by which others may be worse than tulle was in its last quarter: their rounding errors are
 * others, and so are norms that do not fall evenly. */
static const double tolerance = 10;

/* Norms by iteration. */
typedef struct course {
    double norm[MOST + 1];
    int64_t last;
    double ms; /* milliseconds of an iteration */
} course;

static int note(void *user, int64_t iteration, double norm) {
    course *c = user;
    if (iteration > MOST) return 1;
    c->norm[iteration] = norm;
    c->last = iteration;
    return 0;
}

static int64_t unit_of(const trial_problem *p) {
    const trial_solve *s = p->own;
    return s->method == TULLE_GMRES ? (int64_t)TRIAL_SOLVE_RESTART : (int64_t)UNIT;
}

/* Solves twice, and keeps the norms and the time of the second solution, for which all code is
 * loaded and all memory is there. */
static tulle_status follow(const trial_problem *p, int64_t iterations, course *c) {
    tulle_solver_options options = trial_solver_options(p, iterations);
    tulle_solver_report report = {.iterations = 0};
    trial_solver solver;
    options.monitor = note;
    options.monitor_user = c;
    tulle_status status = trial_solver_open(p, &options, &solver);
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        *c = (course){.last = 0};
        status = tulle_solver_run(p->ctx, solver.S, p->x, p->y, &report);
    }
    trial_solver_close(&solver);
    c->norm[0] = report.start_norm;
    if (c->last > 0) c->ms = report.solve_ms / (double)c->last;
    return status;
}

static int64_t wanted(const tool_budget *budget, double ms, int64_t unit) {
    const double most_ms = 1e3 * TIMES * budget->seconds;
    double count = WANTED;
    if (count * ms < least_ms) count = ceil(least_ms / ms);
    if (count > MOST) count = MOST;
    if (count * ms > most_ms) count = most_ms / ms;
    const int64_t units = (int64_t)(count / (double)unit);
    return units > 1 ? units * unit : unit;
}

/* Returns the number of iterations that are worth timing, a multiple of `unit`: those before the
 * norm falls to what rounding leaves of the first norm or of the largest one. The first `unit`
 * iterations count in any case. */
static int64_t usable(const trial_problem *p, const course *c, int64_t unit) {
    const double least = least_norm[p->info.type] * c->norm[0];
    int64_t count = 0;
    double peak = c->norm[0];
    for (; count < c->last && c->norm[count + 1] < INFINITY; count++) {
        const double norm = c->norm[count + 1];
        if (count >= unit && (norm <= least || norm <= least_of_peak[p->info.type] * peak)) break;
        peak = fmax(peak, norm);
    }
    return count / unit * unit;
}

static double largest_of_last_quarter(const course *c, int64_t count) {
    double largest = 0;
    for (int64_t i = count - count / 4; i <= count; i++) largest = fmax(largest, c->norm[i]);
    return largest;
}

/* Settles the length of a solution to the tolerance, with ILU(0). */
static tulle_status settle_whole(trial_problem *p) {
    trial_solve *s = p->own;
    const tulle_solver_options options = trial_solver_options(p, MOST);
    tulle_solver_report report = {.iterations = 0};
    trial_solver solver;
    tulle_status status = trial_solver_open(p, &options, &solver);
    if (status == TULLE_OK) status = tulle_solver_run(p->ctx, solver.S, p->x, p->y, &report);
    trial_solver_close(&solver);
    if (status != TULLE_OK) return status;
    if (report.outcome != TULLE_CONVERGED || report.iterations == 0) {
        return tool_record(TULLE_UNSUPPORTED, "%s with ILU(0): %s", tulle_method_name(s->method),
                           tulle_outcome_text(report.outcome));
    }
    p->iterations = report.iterations;
    s->allowed = report.limit;
    return TULLE_OK;
}

static tulle_status settle(trial_problem *p, const tool_budget *budget, course *c) {
    trial_solve *s = p->own;
    const int64_t unit = unit_of(p);
    tulle_status status = follow(p, unit, c);
    const bool goes_on = status == TULLE_OK && c->last == unit;
    const int64_t more = goes_on ? wanted(budget, c->ms, unit) : unit;
    if (status == TULLE_OK && more > unit) status = follow(p, more, c);
    if (status != TULLE_OK) return status;
    p->iterations = usable(p, c, unit);
    if (p->iterations == 0) {
        return tool_record(TULLE_UNSUPPORTED, "%s is done before iteration %d",
                           tulle_method_name(s->method), (int)unit);
    }
    s->allowed = tolerance * largest_of_last_quarter(c, p->iterations);
    return TULLE_OK;
}

tulle_status trial_solve_length(trial_problem *p, const tool_budget *budget) {
    if (p->detail == TRIAL_SOLVE_ILU) return settle_whole(p);
    course *c = tool_alloc(1, sizeof *c);
    tulle_status status = settle(p, budget, c);
    free(c);
    return status;
}
