/* SPDX-License-Identifier: Apache-2.0 */
/* Solving in rounds. In a round a method runs until the residual that it carries is small enough.
 * Then the residual is computed anew from x, and only that decides whether x is a solution. */
#include <math.h>

#include "core/stopwatch.h"
#include "solver/solver.h"
#include "vector/operands.h"

/* Limits of beginning anew. After the residual that the method carries was found too small, the
 * method begins anew from x at most MOST_ROUNDS times, and only while the new norm is at most
 * least_gain times the one before. */
enum { MOST_ROUNDS = 10 };
static const double least_gain = 0.5;

tulle_status tulle__solver_norm_of_b(tulle_solver *S, double *norm) {
    *norm = S->norm_of_b;
    if (!tulle__has_M(S) || S->options.norm == TULLE_TRUE_NORM) return TULLE_OK;
    S->report.preconditions += S->M != NULL;
    TULLE__TRY(
        tulle__solver_precondition(S, tulle__vector(S, TULLE__B), tulle__vector(S, TULLE__OWN)));
    return tulle__solver_norm(S, tulle__vector(S, TULLE__OWN), norm);
}

/* Computes the first residual. From x = 0 it is b, whose norm is known, so A is not applied: each
 * wait of the host for the device takes as long as an iteration or two of a small system. Where
 * that norm is already within the limit, A is applied all the same: if A has NaN, nothing solves
 * the system. */
tulle_status tulle__solver_first_residual(tulle_solver *S, double *norm) {
    TULLE__TRY(tulle__solver_norm_of_b(S, norm));
    const double absolute = ldexp(S->options.absolute, tulle__norm_power(S));
    S->report.limit = fmax(S->options.tolerance * *norm, absolute);
    S->report.limit = fmax(S->report.limit, S->noise);
    if (!S->from_zero || *norm <= S->report.limit) return tulle__solver_check(S, norm);
    return tulle__solver_copy(S, tulle__vector(S, TULLE__B), tulle__vector(S, TULLE__R));
}

tulle_status tulle__solver_run_method(tulle_solver *S, double norm) {
    S->now.outcome = TULLE__GOES_ON;
    S->now.norm = norm;
    S->now.limit = S->report.limit;
    S->now.most = S->options.max_iterations;
    S->now.preconditioned = S->options.norm == TULLE_PRECONDITIONED_NORM;
    S->now.scalar[TULLE__ONE] = 1;
    TULLE__TRY(S->method->begin(S));
    return S->now.outcome == TULLE__GOES_ON ? tulle__solver_iterate(S) : TULLE_OK;
}

int tulle__solver_judge(tulle_solver *S, double norm, double before, int said) {
    if (!tulle__is_number(norm)) return TULLE_NOT_A_NUMBER;
    if (norm <= S->report.limit) return TULLE_CONVERGED;
    if (said != TULLE_CONVERGED && said != TULLE__GOES_ON) return said;
    if (S->now.iterations >= S->options.max_iterations) return TULLE_MOST_ITERATIONS;
    if (said == TULLE__GOES_ON) return TULLE__GOES_ON;
    const bool gains = norm <= least_gain * before && S->report.begun_anew < MOST_ROUNDS;
    if (!gains) return TULLE_STAGNATED;
    S->report.begun_anew++;
    return TULLE__GOES_ON;
}

int tulle__solver_start(tulle_solver *S, double norm) {
    const tulle_solver_options *o = &S->options;
    S->report.start_norm = norm;
    const int ended = tulle__solver_judge(S, norm, INFINITY, TULLE__GOES_ON);
    const bool stop = o->monitor && o->monitor(o->monitor_user, 0, tulle__told_norm(S, norm)) != 0;
    return stop && ended == TULLE__GOES_ON ? TULLE_STOPPED : ended;
}

/* Computes the residual anew: carefully after a method has ended or where it seems to be done,
 * else not, between two cycles. */
static tulle_status look_at_residual(tulle_solver *S, int *said, double *norm) {
    if (*said == TULLE__GOES_ON && S->now.iterations < S->options.max_iterations) {
        TULLE__TRY(tulle__solver_residual(S, false, norm));
        if (!(*norm <= S->report.limit)) return TULLE_OK;
        *said = TULLE_CONVERGED;
    }
    return tulle__solver_check(S, norm);
}

/* True when the fallback method goes on: where this one ended by itself, and not by a limit of
 * the user's: after NaN, too, which may stand in vectors that the other method does not have. */
static bool falls_back(const tulle_solver *S, int said) {
    return S->method->fallback && said != TULLE__GOES_ON && said != TULLE_MOST_ITERATIONS &&
           said != TULLE_MOST_TIME && said != TULLE_STOPPED;
}

/* Begins the method anew from x. Norms that were carried before count no more: they had been too
 * small. */
static void begin_anew(tulle_solver *S, bool turns, double norm) {
    if (turns) tulle__solver_turn_to(S, S->method->fallback);
    S->best = norm;
    S->best_at = S->now.iterations;
}

tulle_status tulle__solver_take_back(tulle_solver *S, bool carefully, double *norm) {
    if (!(S->kept_norm < *norm)) return TULLE_OK;
    TULLE__TRY(tulle__solver_copy(S, tulle__vector(S, S->kept), tulle__vector(S, TULLE__X)));
    return carefully ? tulle__solver_check(S, norm) : tulle__solver_residual(S, false, norm);
}

/* Sets x back to the start, the guess or 0, before the fallback method goes on, where x has
 * become worse than that, or no number. */
static tulle_status start_over(tulle_solver *S, double start, double *norm) {
    if (*norm <= start) return TULLE_OK;
    TULLE__TRY(tulle__solver_take_start(S));
    return tulle__solver_check(S, norm);
}

tulle_status tulle__solver_rounds(tulle_solver *S) {
    double norm;
    TULLE__TRY(tulle__solver_first_residual(S, &norm));
    double before = norm;
    int ended = tulle__solver_start(S, norm);
    while (ended == TULLE__GOES_ON) {
        TULLE__TRY(tulle__solver_run_method(S, norm));
        int said = S->now.outcome;
        TULLE__TRY(look_at_residual(S, &said, &norm));
        const bool turns = falls_back(S, said);
        if (turns) TULLE__TRY(start_over(S, before, &norm));
        ended =
            tulle__solver_judge(S, norm, turns ? INFINITY : before, turns ? TULLE_CONVERGED : said);
        if (said == TULLE__GOES_ON || ended != TULLE__GOES_ON) continue;
        begin_anew(S, turns, norm);
        before = turns ? INFINITY : norm;
    }
    TULLE__TRY(tulle__solver_take_back(S, true, &norm));
    S->report.outcome = (tulle_outcome)tulle__solver_judge(S, norm, 0, ended);
    S->report.norm = norm;
    return TULLE_OK;
}
