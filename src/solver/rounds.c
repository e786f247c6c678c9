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

/* Sets vectors and scalars of a member before the method runs. */
static tulle_status begin_method(tulle_solver *S) {
    S->is_given = false;
    S->now.outcome = TULLE__GOES_ON;
    S->now.norm = S->tested;
    S->now.limit = S->report.limit;
    S->now.most = S->options.max_iterations;
    S->now.preconditioned = S->options.norm == TULLE_PRECONDITIONED_NORM;
    S->now.scalar[TULLE__ONE] = 1;
    return S->method->begin(S);
}

/* Tells the device that a member has ended: its stages change nothing more. */
static tulle_status rest(const tulle_solver *S) {
    tulle__solve_state state = S->now;
    state.outcome = S->ended;
    return S->ctx->backend->solver->put_state(&S->ctx->place, S->scalars->states, &state);
}

tulle_status tulle__solver_run_method(tulle_solver *S) {
    bool begun = false;
    for (int j = 0; j < S->columns; j++) {
        tulle_solver *m = tulle__member(S, j);
        const bool goes_on = m->ended == TULLE__GOES_ON;
        TULLE__TRY(goes_on ? begin_method(m) : rest(m));
        begun = begun || (goes_on && m->now.outcome == TULLE__GOES_ON);
    }
    return begun ? tulle__solver_iterate(S) : TULLE_OK;
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

/* Returns the member whose tested norm is the largest multiple of its limit. */
static tulle_solver *worst_member(tulle_solver *S) {
    tulle_solver *worst = tulle__member(S, 0);
    for (int j = 1; j < S->columns; j++) {
        tulle_solver *m = tulle__member(S, j);
        const double excess = tulle__excess(m->tested, m->report.limit);
        if (excess > tulle__excess(worst->tested, worst->report.limit)) worst = m;
    }
    return worst;
}

tulle_status tulle__solver_start(tulle_solver *S) {
    const tulle_solver_options *o = &S->options;
    const tulle_solver *worst = worst_member(S);
    const bool asks = o->monitor && !S->stopped;
    if (asks && o->monitor(o->monitor_user, 0, tulle__told_norm(worst, worst->tested)) != 0) {
        S->stopped = true;
    }
    double stops = S->stopped ? 1 : 0;
    if (S->watched) TULLE__TRY(tulle__solver_sum(S, &stops, 1));
    S->stopped = stops > 0;
    for (int j = 0; j < S->columns; j++) {
        tulle_solver *m = tulle__member(S, j);
        m->report.start_norm = m->before = m->tested;
        m->ended = tulle__solver_judge(m, m->tested, INFINITY, TULLE__GOES_ON);
        if (S->stopped && m->ended == TULLE__GOES_ON) m->ended = TULLE_STOPPED;
    }
    return TULLE_OK;
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
    S->is_given = false;
    TULLE__TRY(tulle__solver_copy(S, tulle__vector(S, S->kept), tulle__vector(S, TULLE__X)));
    return carefully ? tulle__solver_check(S, norm) : tulle__solver_residual(S, false, norm);
}

/* Sets x back to the start, the guess or 0, before the fallback method goes on, where x has
 * become worse than that, or no number. */
static tulle_status start_over(tulle_solver *S, double start, double *norm) {
    if (*norm <= start) return TULLE_OK;
    S->is_given = false;
    TULLE__TRY(tulle__solver_take_start(S));
    return tulle__solver_check(S, norm);
}

/* Judges a member after the method has ended: by its residual, which is computed anew. */
static tulle_status end_round(tulle_solver *S) {
    int said = S->now.outcome;
    if (said == TULLE_CONVERGED) TULLE__TRY(tulle__solver_give_early(S));
    TULLE__TRY(look_at_residual(S, &said, &S->tested));
    const bool turns = falls_back(S, said);
    if (turns) TULLE__TRY(start_over(S, S->before, &S->tested));
    S->ended = tulle__solver_judge(S, S->tested, turns ? INFINITY : S->before,
                                   turns ? TULLE_CONVERGED : said);
    if (said == TULLE__GOES_ON || S->ended != TULLE__GOES_ON) return TULLE_OK;
    begin_anew(S, turns, S->tested);
    S->before = turns ? INFINITY : S->tested;
    return TULLE_OK;
}

/* Ends a member's solution, with the best x that it has. */
static tulle_status end_solution(tulle_solver *S) {
    TULLE__TRY(tulle__solver_take_back(S, true, &S->tested));
    S->report.outcome = (tulle_outcome)tulle__solver_judge(S, S->tested, 0, S->ended);
    S->report.norm = S->tested;
    return TULLE_OK;
}

static bool any_goes_on(tulle_solver *S) {
    for (int j = 0; j < S->columns; j++) {
        if (tulle__member(S, j)->ended == TULLE__GOES_ON) return true;
    }
    return false;
}

tulle_status tulle__solver_rounds(tulle_solver *S) {
    for (int j = 0; j < S->columns; j++) {
        tulle_solver *m = tulle__member(S, j);
        TULLE__TRY(tulle__solver_first_residual(m, &m->tested));
    }
    TULLE__TRY(tulle__solver_start(S));
    while (any_goes_on(S)) {
        TULLE__TRY(tulle__solver_run_method(S));
        for (int j = 0; j < S->columns; j++) {
            tulle_solver *m = tulle__member(S, j);
            if (m->ended == TULLE__GOES_ON) TULLE__TRY(end_round(m));
        }
    }
    for (int j = 0; j < S->columns; j++) TULLE__TRY(end_solution(tulle__member(S, j)));
    return TULLE_OK;
}
