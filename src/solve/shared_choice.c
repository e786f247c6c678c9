/* SPDX-License-Identifier: Apache-2.0 */
/* The way of each attempt at a system whose rows are shared by processes. */
#include <inttypes.h>
#include <stdio.h>

#include "solve/shared.h"
#include "solve/ways.h"

/* Factors of each process's block come first where an iteration takes at most so many times as long
 * with them, and making them at most as long as so many products: the limits of tulle_solve for A
 * like that of an elliptic problem (choice.c). */
static const double fewer = 2.5, most_making = 200;

/* Vectors of GMRES where 30 were not enough. */
enum { MANY = 200 };

static int64_t all_rows(const tulle__shared *s) {
    return s->A->row_starts[tulle_comm_ranks(s->A->comm)];
}

static bool is_positive(const tulle__shared *s) {
    return s->facts.diagonal_positive == all_rows(s);
}

static void choose_method(tulle__shared *s) {
    const tulle__shared_facts *f = &s->facts;
    char *why = s->report->method_why;
    if (f->symmetric && is_positive(s)) {
        s->way.method = TULLE_CG;
        snprintf(why, TULLE_WHY, "A is symmetric but for rounding, and its diagonal is positive%s",
                 f->not_dominant == 0 ? " and dominant" : "");
    } else if (f->symmetric) {
        s->way.method = TULLE_GMRES;
        snprintf(why, TULLE_WHY, "A is symmetric, and not all of its diagonal is positive");
    } else if (f->not_dominant == 0) {
        s->way.method = TULLE_BICGSTAB;
        snprintf(why, TULLE_WHY, "A is not symmetric, and its diagonal is dominant");
    } else {
        s->way.method = TULLE_GMRES;
        snprintf(why, TULLE_WHY,
                 "A is not symmetric, and its diagonal is not dominant in %" PRId64 " rows",
                 f->not_dominant);
    }
}

static void set_factors(tulle__shared *s, int fill) {
    const bool ic = tulle__wants_definite(s->way.method);
    s->way.precond = (tulle__precond){.kind = ic ? TULLE__IC : TULLE__ILU, .number = ic ? 0 : fill};
    s->tried_factors = true;
}

/* Takes the diagonal, where it has an inverse that the method can use. */
static void set_diagonal(tulle__shared *s) {
    const bool fits =
        tulle__wants_definite(s->way.method) ? is_positive(s) : s->facts.diagonal_zero == 0;
    s->way.precond =
        (tulle__precond){.kind = fits ? TULLE__JACOBI : TULLE__NO_PRECOND, .number = 0};
}

static void choose_precond(tulle__shared *s) {
    const tulle__shared_facts *f = &s->facts;
    char *why = s->report->precond_why;
    if (f->not_finite > 0) {
        snprintf(why, TULLE_WHY, "there are no factors of Inf or NaN");
        set_diagonal(s);
    } else if (f->making > most_making) {
        snprintf(why, TULLE_WHY,
                 "making factors of each process's rows and columns takes as long as about %.0f "
                 "products with A",
                 f->making);
        set_diagonal(s);
    } else {
        const bool good = f->ratio <= fewer;
        snprintf(why, TULLE_WHY,
                 "with factors of each process's rows and columns an iteration takes %.1f times as "
                 "long, and%s about %g times fewer are needed",
                 f->ratio, good ? "" : " only", fewer);
        if (good) {
            set_factors(s, 0);
        } else {
            set_diagonal(s);
        }
    }
}

/* True where A is like the matrix of an elliptic problem: with a positive diagonal, and few
 * positive entries off it. */
static bool is_elliptic(const tulle__shared *s) {
    const tulle__shared_facts *f = &s->facts;
    return is_positive(s) && f->not_finite == 0 && f->off_positive <= f->off_diagonal / 4;
}

/* Plans multigrid for the time when the method has taken as long as multigrid is expected to take.
 */
static void plan_multigrid(tulle__shared *s) {
    const bool factors = tulle__precond_is_factors(s->way.precond.kind);
    const double each = (s->way.method == TULLE_CG ? 1 : 2) * (factors ? s->facts.ratio : 1);
    const bool fits = s->way.method == TULLE_CG || s->way.method == TULLE_BICGSTAB;
    if (!s->method_open || !s->precond_open || !fits || !is_elliptic(s)) return;
    s->way.trial = (int)(TULLE__PRICE_OF_AMG / (each > 1 ? each : 1));
}

static bool take_multigrid(tulle__shared *s) {
    if (s->way.trial == 0 || s->tried_multigrid) return false;
    s->tried_multigrid = true;
    snprintf(s->report->precond_why, TULLE_WHY,
             "%d iterations without a solution take as long as multigrid", s->way.trial);
    s->way.trial = 0;
    s->way.precond = (tulle__precond){.kind = TULLE__MULTIGRID, .number = 2};
    return true;
}

void tulle__shared_choose(tulle__shared *s) {
    if (s->method_open) choose_method(s);
    s->way.restart = s->options->solver.restart;
    if (s->precond_open) choose_precond(s);
    plan_multigrid(s);
}

bool tulle__shared_choose_precond(tulle__shared *s, const char *why) {
    if (!s->precond_open || s->way.precond.kind == TULLE__NO_PRECOND) return false;
    if (s->way.precond.kind == TULLE__JACOBI) {
        s->way.precond = (tulle__precond){.kind = TULLE__NO_PRECOND};
    } else {
        set_diagonal(s);
    }
    snprintf(s->report->precond_why, TULLE_WHY, "%s", why);
    return true;
}

static bool take_factors(tulle__shared *s) {
    if (!s->precond_open || s->tried_factors || s->facts.not_finite > 0) return false;
    set_factors(s, 0);
    snprintf(s->report->precond_why, TULLE_WHY, "the diagonal was too weak");
    return true;
}

static void take_method(tulle__shared *s, tulle_method method, const char *why) {
    s->way.method = method;
    snprintf(s->report->method_why, TULLE_WHY, "%s", why);
}

static bool take_minres(tulle__shared *s) {
    if (!s->method_open || !s->precond_open || s->tried_minres || !s->facts.symmetric) return false;
    s->tried_minres = true;
    take_method(s, TULLE_MINRES, "gmres made no progress, and A is symmetric");
    set_diagonal(s);
    return true;
}

/* GMRES with more vectors, and with more fill where the preconditioner is open. */
static bool take_many(tulle__shared *s) {
    if (!s->method_open || s->tried_many || s->options->solver.restart > 0) return false;
    s->tried_many = true;
    take_method(s, TULLE_GMRES, "30 vectors were not enough");
    s->way.restart = MANY;
    if (s->precond_open && s->facts.not_finite == 0) set_factors(s, 1);
    return true;
}

bool tulle__shared_choose_next(tulle__shared *s, tulle_outcome outcome) {
    if (s->facts.not_finite > 0) return false;
    if (outcome == TULLE_MOST_ITERATIONS && take_multigrid(s)) return true;
    s->way.trial = 0;
    if (outcome == TULLE_STAGNATED && take_factors(s)) return true;
    if (s->way.method == TULLE_CG || s->way.method == TULLE_BICGSTAB) {
        if (!s->method_open) return take_factors(s);
        take_method(s, TULLE_GMRES, "the method before did not converge");
        if (s->precond_open) set_factors(s, 0);
        return true;
    }
    return (s->way.method == TULLE_GMRES && take_minres(s)) || take_many(s) || take_factors(s);
}
