/* SPDX-License-Identifier: Apache-2.0 */
/* Complete factors among the ways of a solution: on trial beside a method that iterates, at once,
 * or as the last way. */
#include <math.h>
#include <stdio.h>

#include "solve/cost.h"
#include "solve/ways.h"

/* Complete factors are the last way of systems of at most so many rows: of these even full ones
 * take seconds, and hundreds of MB. */
enum { MOST_COMPLETE = 10000 };

/* GMRES that begins anew every 30 iterations may take hundreds or thousands of them. After one
 * cycle complete factors are counted. Where making them is expected to take no longer than so many
 * iterations, GMRES goes on for as long as that takes, if for another cycle at least, and complete
 * factors follow: whatever would have been right, the time is about twice that of the right way at
 * most, as for a skier who rents skis until the rent comes to their price (A. R. Karlin and others,
 * "Competitive snoopy caching", Algorithmica 3, 1988). */
enum { TRIAL = 30, MOST_TRIAL = 300 };

/* Complete factors of a small system come before GMRES where making them takes no longer than so
 * many of its iterations: a cycle of GMRES would take as long, and seldom be enough. */
enum { AT_ONCE = 50 };

/* Share of these that factors without fill may take, with the search of their order: beyond it
 * counting takes long, and few factors have as little fill. GMRES then begins. */
static const double most_least = 0.5;

/* CG with incomplete factors solves most small systems in so many iterations: 79 for p2d5:100.
 * After these complete factors of a small system are counted, as after a cycle of GMRES; with the
 * diagonal, after MOST_TRIAL. */
enum { TRIAL_OF_CG = 100 };

/* The norm is looked at after one and two of so many parts of such a trial (pace.h), where factors
 * without fill take one part at most, so that complete factors are likely to follow: CG that went
 * on after them would begin anew. */
enum { LOOKS = 4 };

/* With complete factors that are any good a method takes some iterations, and is given these. */
enum { MOST_WITH_COMPLETE = 60 };

/* True where complete factors may come before a method has failed. On a GPU, rows of complete
 * factors wait for each other too long. */
static bool may_complete(const tulle__choice *c) {
    const bool open = c->method_open && c->precond_open && !c->options->instead;
    if (!open || !tulle__choice_is_csr(c) || c->tried_complete || c->info.backend != TULLE_CPU)
        return false;
    return c->facts.not_finite == 0;
}

/* Returns the iterations after which complete factors are counted, `usual` or as many as take the
 * time that making them takes at least: before that the count could not change the way. 0: they
 * never are, as making them takes too long whatever the count. */
static int trial_of(const tulle__choice *c, int usual) {
    const double least = tulle__cost_complete_least(&c->info, &c->facts, &c->way);
    if (least > MOST_TRIAL) return 0;
    return least > usual ? (int)ceil(least) : usual;
}

/* Lets a method end after some iterations where complete factors may be worth more. */
void tulle__plan_trial(tulle__choice *c) {
    const bool gmres = c->way.method == TULLE_GMRES && c->way.restart == 0;
    const bool small = c->info.rows <= MOST_COMPLETE && may_complete(c) && c->trials == 0;
    if (c->way.method == TULLE_BICGSTAB || tulle__is_multigrid(c->way.precond.kind)) return;
    if (c->way.method == TULLE_CG) {
        const bool factors = tulle__precond_is_factors(c->way.precond.kind);
        const int most = trial_of(c, factors ? TRIAL_OF_CG : MOST_TRIAL);
        const bool later = c->way.trial == 0 || c->way.trial > most;
        const bool ends = small && later && most > 0;
        if (!ends) return;
        c->way.trial = most;
        const double least = tulle__cost_complete_least(&c->info, &c->facts, &c->way);
        if (c->way.stall == 0 && least <= most / LOOKS) c->way.stall = most / LOOKS;
        return;
    }
    c->way.trial = gmres && may_complete(c) && c->trials == 0 ? trial_of(c, TRIAL) : 0;
}

/* Sets complete factors as the preconditioner of the rows as they will stand. */
static void set_factors(tulle__choice *c) {
    c->way.block = 0;
    c->format_why[0] = '\0';
    c->way.precond = (tulle__precond){.kind = TULLE__COMPLETE};
    c->way.order = c->order;
    c->way.trial = 0;
    c->way.stall = 0;
    c->tried_in_place = c->tried_in_place || !c->permuted || c->restore;
}

bool tulle__take_complete(tulle__choice *c) {
    const bool wants_other = tulle__wants_definite(c->way.method);
    if (!c->precond_open || c->tried_complete || wants_other || !tulle__choice_is_csr(c))
        return false;
    if (c->info.rows > MOST_COMPLETE || c->facts.not_finite > 0) return false;
    c->tried_complete = true;
    set_factors(c);
    if (!c->tried_in_place) {
        c->way.trial = MOST_TRIAL;
        c->way.stall = MOST_WITH_COMPLETE;
    }
    snprintf(c->precond_why, TULLE_WHY, "with incomplete factors there was no solution");
    return true;
}

bool tulle__take_restored(tulle__choice *c) {
    if (!c->permuted || !c->tried_complete || c->tried_in_place) return false;
    if (c->info.rows > MOST_COMPLETE) return false;
    tulle__restore_rows(c);
    set_factors(c);
    snprintf(c->precond_why, TULLE_WHY, "with its rows permuted there was no solution");
    return true;
}

/* Counts complete factors, in iterations of the way that is chosen. */
static tulle_status count_complete(tulle__choice *c) {
    if (c->complete > 0) return TULLE_OK;
    c->complete = (double)INFINITY;
    if (tulle__cost_complete_least(&c->info, &c->facts, &c->way) > MOST_TRIAL) return TULLE_OK;
    const tulle_status status = tulle__cost_complete(c->ctx, c->A, &c->facts, &c->way, MOST_TRIAL,
                                                     &c->complete, &c->order, &c->order_ms);
    if (status != TULLE_OUT_OF_MEMORY && status != TULLE_TOO_LARGE) return status;
    c->complete = (double)INFINITY;
    return TULLE_OK;
}

/* Sets complete factors, which the method takes as a preconditioner. */
static void set_complete(tulle__choice *c) {
    set_factors(c);
    c->way.trial = MOST_WITH_COMPLETE;
    c->tried_lu = true;
    c->tried_complete = !tulle__may_permute(c);
}

/* Takes complete factors of a small system in the place of GMRES with incomplete ones, where they
 * are cheap. */
tulle_status tulle__look_at_complete(tulle__choice *c) {
    if (c->way.method != TULLE_GMRES || !may_complete(c) || c->permute) return TULLE_OK;
    if (c->info.rows > MOST_COMPLETE || c->info.rows == 0) return TULLE_OK;
    if (tulle__is_multigrid(c->way.precond.kind)) return TULLE_OK;
    const double least = tulle__cost_complete_least(&c->info, &c->facts, &c->way);
    if (least > most_least * AT_ONCE) return TULLE_OK;
    TULLE__TRY(count_complete(c));
    if (c->complete > AT_ONCE) return TULLE_OK;
    set_complete(c);
    snprintf(c->precond_why, TULLE_WHY,
             "making complete factors takes about as long as %.0f iterations of gmres",
             c->complete);
    return TULLE_OK;
}

static void take_complete_after_trial(tulle__choice *c) {
    set_complete(c);
    snprintf(c->precond_why, TULLE_WHY,
             "%s took %d iterations, and making complete factors takes about as long as %.0f",
             tulle_method_name(c->way.method), c->trials, c->complete);
}

/* Goes on after a trial: as before, or with complete factors where these are cheap and GMRES has
 * had as much time. */
tulle_status tulle__end_trial(tulle__choice *c) {
    c->trials += c->way.trial;
    c->way.trial = 0;
    TULLE__TRY(count_complete(c));
    if (c->complete > MOST_TRIAL) return TULLE_OK;
    if (c->complete >= c->trials + TRIAL) c->way.trial = (int)ceil(c->complete) - c->trials;
    if (c->way.trial == 0) take_complete_after_trial(c);
    return TULLE_OK;
}

/* Goes on after a trial of CG or BiCGStab: with complete factors of a small system, which CG alone
 * gives way to, or with multigrid, whichever costs less, once the method has had as much time, or
 * at once where the norm has ended the trial early. */
tulle_status tulle__end_trial_of_short_recurrence(tulle__choice *c) {
    const bool early = c->stalled || c->late;
    c->trials += c->stalled ? c->way.stall : c->late ? 2 * c->way.stall : c->way.trial;
    c->way.trial = 0;
    c->way.stall = 0;
    const double coarse = tulle__may_coarsen(c) ? c->coarse : (double)INFINITY;
    const double least = tulle__cost_complete_least(&c->info, &c->facts, &c->way);
    const bool small =
        c->way.method == TULLE_CG && c->info.rows <= MOST_COMPLETE && may_complete(c);
    const bool counts = small && least <= coarse;
    if (counts) TULLE__TRY(count_complete(c));
    const double complete = counts ? c->complete : (double)INFINITY;
    const double next = fmin(complete, coarse);
    if (isinf(next)) return TULLE_OK;
    if (!early && next >= c->trials + TRIAL) {
        c->way.trial = (int)ceil(next) - c->trials;
        return TULLE_OK;
    }
    if (complete <= coarse) {
        take_complete_after_trial(c);
        return TULLE_OK;
    }
    tulle__take_amg(c);
    snprintf(c->precond_why, TULLE_WHY,
             "A is like that of an elliptic problem, and %d iterations %s", c->trials,
             c->stalled ? "left the residual as large as it was"
             : c->late  ? "left too much for as many again"
                        : "were not enough");
    return TULLE_OK;
}
