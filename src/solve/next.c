/* SPDX-License-Identifier: Apache-2.0 */
/* The way after an attempt that could not be made, or did not solve the system. */
#include <stdio.h>

#include "solve/ways.h"

/* Number of vectors of GMRES in its last attempt. */
enum { LONG_RESTART = 200 };

bool tulle__choose_other_precond(tulle__choice *c, const char *why) {
    const tulle__precond_kind failed = c->way.precond.kind;
    const bool blocks = failed == TULLE__BLOCK_JACOBI;
    if (!c->precond_open || failed == TULLE__NO_PRECOND) return false;
    if (tulle__is_multigrid(failed)) {
        tulle__leave_family(c, why);
        return true;
    }
    if (blocks || failed == TULLE__JACOBI) {
        const tulle__precond_kind next = blocks ? TULLE__JACOBI : TULLE__NO_PRECOND;
        c->way.precond = (tulle__precond){.kind = next};
        tulle__add_why(c->precond_why, why);
        return true;
    }
    if (tulle__may_permute(c)) {
        tulle__take_permuted(c, why);
        return true;
    }
    if (tulle__take_complete(c) || tulle__take_restored(c)) {
        tulle__add_why(c->precond_why, why);
        return true;
    }
    snprintf(c->precond_why, TULLE_WHY, "%s", why);
    tulle__set_diagonal(c);
    tulle__plan_multigrid(c);
    tulle__plan_trial(c);
    return true;
}

static bool is_diagonal(const tulle__choice *c) {
    return !tulle__precond_is_factors(c->way.precond.kind);
}

/* Chooses the factors that the first choice left out because they take long; returns false where
 * they have been tried or cannot be made. */
static bool take_factors(tulle__choice *c) {
    const bool is_left = tulle__wants_definite(c->way.method) ? !c->tried_ic : !c->tried_lu;
    if (!c->precond_open || !is_left || c->facts.not_finite > 0) return false;
    if (!tulle__choice_has_factors(c)) return false;
    tulle__set_factors(c);
    tulle__note_factors(c);
    snprintf(c->precond_why, TULLE_WHY, "without factors there was no solution");
    return true;
}

/* Chooses GMRES after another method, because it takes any A and factors that are not definite;
 * *found is false where the method was given or is GMRES already. */
static tulle_status take_gmres(tulle__choice *c, tulle_outcome outcome, bool *found) {
    char ended[TULLE_WHY];
    *found = c->method_open && c->way.method != TULLE_GMRES;
    if (!*found) return TULLE_OK;
    snprintf(ended, sizeof ended, "%s ended as %s", tulle_method_name(c->way.method),
             tulle_outcome_name(outcome));
    tulle__add_why(c->method_why, ended);
    c->way.method = TULLE_GMRES;
    c->nearly = false;
    tulle__choose_restart(c);
    c->trials = 0;
    c->complete = 0; /* counted in iterations of CG */
    tulle__forget_order(c);
    const tulle_status status =
        !c->precond_open || c->tried_lu ? TULLE_OK : tulle__choose_precond(c);
    tulle__plan_trial(c);
    return status;
}

/* Chooses the last way, GMRES with many vectors, and with factors one level of fill; returns false
 * where that has been tried or the caller's options forbid it. */
static bool take_long_gmres(tulle__choice *c) {
    if (!c->method_open || !c->precond_open || c->way.method != TULLE_GMRES) return false;
    if (c->options->solver.restart > 0 || c->tried_long) return false;
    if (c->way.precond.kind == TULLE__COMPLETE) return false;
    if (c->info.rows <= TULLE__SMALL_SYSTEM) return false;
    c->tried_long = true;
    c->way.restart = LONG_RESTART;
    tulle__add_why(c->method_why, "with 30 vectors it ended without a solution");
    if (!is_diagonal(c)) {
        c->way.precond.number = 1;
        snprintf(c->precond_why, TULLE_WHY, "with less fill there was no solution");
    }
    return true;
}

/* Chooses MINRES for a symmetric A after GMRES, which pays for each restart, while MINRES never
 * begins anew; returns false where it does not apply or has been tried. */
static bool take_minres(tulle__choice *c) {
    if (!c->method_open || !c->facts.symmetric || c->tried_minres) return false;
    if (c->way.method != TULLE_GMRES || c->info.rows <= TULLE__SMALL_SYSTEM) return false;
    c->tried_minres = true;
    tulle__restore_rows(c); /* A is symmetric with its rows where they came */
    c->way.method = TULLE_MINRES;
    tulle__add_why(c->method_why, "gmres ended without a solution");
    if (!c->precond_open) return true;
    const bool positive = c->facts.diagonal_positive == c->info.rows;
    c->way.block = 0;
    c->format_why[0] = '\0';
    c->way.precond.kind = positive ? TULLE__JACOBI : TULLE__NO_PRECOND;
    c->way.precond.number = 0;
    snprintf(c->precond_why, TULLE_WHY, "minres takes what is positive definite%s",
             positive ? ", such as the diagonal" : "; the diagonal is not");
    return true;
}

/* Chooses another way for the same method, or a way without a method for which A must be definite.
 */
static bool take_other(tulle__choice *c) {
    if (c->permuted) {
        if (tulle__take_complete(c) || tulle__take_restored(c)) return true;
        if (is_diagonal(c) && take_minres(c)) return true;
        return take_long_gmres(c) || take_minres(c);
    }
    if (take_minres(c)) return true;
    if (c->way.method == TULLE_MINRES) {
        c->way.method = TULLE_GMRES;
        tulle__choose_restart(c);
    }
    if (tulle__may_permute(c)) {
        tulle__take_permuted(c, NULL);
        return true;
    }
    return tulle__take_complete(c) || take_long_gmres(c);
}

/* Goes on with GMRES after the trial of BiCGStab in its place. */
static tulle_status end_short(tulle__choice *c, tulle_outcome outcome, bool *found) {
    c->short_first = false;
    c->way.trial = 0;
    c->way.stall = 0;
    return take_gmres(c, outcome, found);
}

/* Goes on after CG's trial for a nearly symmetric A: with GMRES, or with BiCGStab in its place. */
static tulle_status end_nearly(tulle__choice *c, tulle_outcome outcome, bool *found) {
    const tulle_status status = take_gmres(c, outcome, found);
    if (status == TULLE_OK && *found) tulle__try_short(c);
    return status;
}

/* Goes on after a trial that ended without a solution. */
static tulle_status end_some_trial(tulle__choice *c, tulle_outcome outcome, bool *found) {
    const bool is_short = c->way.method == TULLE_CG || c->way.method == TULLE_BICGSTAB;
    const tulle__precond_kind before = c->way.precond.kind;
    *found = true;
    if (tulle__is_multigrid(before)) {
        tulle__end_trial_of_amg(c);
        return TULLE_OK;
    }
    TULLE__TRY(is_short ? tulle__end_trial_of_short_recurrence(c) : tulle__end_trial(c));
    const bool goes_on = c->way.trial > 0 || c->way.precond.kind != before;
    return c->nearly && !goes_on ? end_nearly(c, outcome, found) : TULLE_OK;
}

static tulle_status choose_next(tulle__choice *c, tulle_outcome outcome, bool *found) {
    if (c->short_first) return end_short(c, outcome, found);
    const bool complete = c->way.precond.kind == TULLE__COMPLETE;
    const bool trial_ends = c->way.trial > 0 && outcome == TULLE_MOST_ITERATIONS;
    if (trial_ends && complete) outcome = TULLE_STAGNATED;
    if (trial_ends && !complete) return end_some_trial(c, outcome, found);
    c->way.trial = 0;
    c->way.slowest = 0;
    c->way.stall = 0;
    const bool slow = outcome == TULLE_STAGNATED || outcome == TULLE_MOST_ITERATIONS;
    const bool stuck =
        outcome == TULLE_STAGNATED || outcome == TULLE_BROKE_DOWN || outcome == TULLE_NOT_A_NUMBER;
    const bool minres = c->way.method == TULLE_MINRES;
    *found = slow && !minres && is_diagonal(c) && take_factors(c);
    if (*found) return TULLE_OK;
    if (!minres && (stuck || outcome == TULLE_INDEFINITE)) {
        const tulle_status status = take_gmres(c, outcome, found);
        if (status != TULLE_OK || *found) return status;
    }
    *found = (slow || stuck) && take_other(c);
    return TULLE_OK;
}

tulle_status tulle__choose_next(tulle__choice *c, tulle_outcome outcome, bool *found) {
    const tulle_status status = choose_next(c, outcome, found);
    tulle__limit_nearly(c);
    return status;
}
