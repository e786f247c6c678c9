/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "matrix/facts.h"
#include "solve/cost.h"

/* With incomplete factors a method takes a third of the iterations that it takes with the
 * diagonal: 1.9 to 2.8 times fewer for p2d5, p3d7, p3d27 and fem, and 30 to 200 times fewer for
 * some real matrices (docs/lab-notes.md, "What tulle_solve expects"). */
static const double fewer = 3;

/* Computing factors may take as long as so many products with A. */
static const double most_making = 200;

/* GMRES keeps all its vectors of a system of so few rows, and so many in its last attempt. */
enum { SMALL = 256, LONG_RESTART = 200 };

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

/* CG with incomplete factors solves most small systems in so many iterations: 79 for p2d5:100.
 * After these complete factors of a small system are counted, as after a cycle of GMRES; with the
 * diagonal, after MOST_TRIAL. */
enum { TRIAL_OF_CG = 100 };

/* Making a hierarchy and solving with it takes about as long as so many iterations of CG with the
 * diagonal: of plain aggregation 170 to 290 for p2d5 and p3d7, of the classical family 290 to 410,
 * on two CPU cores. CG with the diagonal takes about as many iterations as rows wait for each other
 * in the longest chain of A's lower triangle: 3,736 for the chain of 3,999 of p2d5:2000, and 611
 * for that of 766 of p3d7:256. A chain through longer rows is as much longer as the rows are: that
 * of p3d27:64 has 442 rows for 92 iterations. Where fewer are expected and more are needed,
 * multigrid follows after so many, as complete factors follow GMRES. */
static const double price_of_aggregation = 250, price_of_classical = 400;
enum { SHORT_ROW = 7 };

/* CG with a hierarchy that is worth its work needs fewer iterations than these. */
enum { MOST_AMG = 200 };

/* Plain aggregation makes a hierarchy in 0.3 to 0.5 times the time of the classical family, and
 * comes first on a CPU where at most this share of the rows have uneven entries: where entries are
 * alike, it takes 1.2 to 2 times the iterations. On a GPU its many visits of small levels cost too
 * much. */
static const double most_uneven = 0.1;

/* Mean factors of the norm in the first iterations from which plain aggregation gives way to the
 * classical family, and the classical family to what is no multigrid. */
static const double slow_aggregation = 0.75, slow_classical = 0.9;

/* With complete factors that are any good a method takes some iterations, and is given these. */
enum { MOST_WITH_COMPLETE = 60 };

/* Share of A's entries off the diagonal that may be positive where A counts as elliptic: linear
 * elements have some, on triangles with an angle above 90 degrees. */
static const double most_positive = 0.25;

static void add_why(char *why, const char *more) {
    const size_t length = strlen(why);
    snprintf(why + length, TULLE_WHY - length, "%s%s", length > 0 ? "; " : "", more);
}

static const char *rounded(const tulle_facts *f) {
    return f->equal == f->off_diagonal ? "" : " but for rounding";
}

/* A symmetric matrix that the facts do not show to be indefinite may be positive definite: CG finds
 * that out. */
static void choose_method(tulle__choice *c) {
    const tulle_facts *f = &c->facts;
    char *why = c->method_why;
    c->way.method = TULLE_GMRES;
    if (f->symmetric && f->diagonal_positive == c->info.rows && f->indefinite_pairs == 0) {
        c->way.method = TULLE_CG;
        snprintf(why, TULLE_WHY, "A is symmetric%s, and its diagonal is positive%s", rounded(f),
                 f->not_dominant == 0 ? " and dominant" : "");
    } else if (f->symmetric && f->diagonal_positive < c->info.rows) {
        snprintf(why, TULLE_WHY,
                 "A is symmetric%s and not positive definite: not all of its diagonal is positive",
                 rounded(f));
    } else if (f->symmetric) {
        snprintf(why, TULLE_WHY,
                 "A is symmetric%s and not positive definite: %" PRId64
                 " of its entries are larger than the diagonal allows",
                 rounded(f), f->indefinite_pairs);
    } else if (f->not_dominant == 0) {
        c->way.method = TULLE_BICGSTAB;
        snprintf(why, TULLE_WHY, "A is not symmetric, and its diagonal is dominant");
    } else {
        snprintf(why, TULLE_WHY,
                 "A is not symmetric, and its diagonal is not dominant in %" PRId64 " rows",
                 f->not_dominant);
    }
}

/* Gives GMRES all vectors of a small system, where nobody says how many. */
static void choose_restart(tulle__choice *c) {
    c->way.restart = c->options->solver.restart;
    if (!c->method_open || c->way.method != TULLE_GMRES || c->way.restart > 0) return;
    if (c->info.rows <= SMALL) c->way.restart = (int)(c->info.rows > 0 ? c->info.rows : 1);
}

/* A method for symmetric and positive definite matrices wants such preconditioners. */
static bool wants_definite(tulle_method method) {
    return method == TULLE_CG || method == TULLE_CHEBYSHEV || method == TULLE_MINRES;
}

static bool is_csr(const tulle__choice *c) {
    return c->info.format == TULLE_CSR;
}

static bool has_blocks(const tulle__choice *c) {
    return c->facts.block > 0 && is_csr(c) && !c->options->keep_format;
}

const char *tulle__precond_title(const tulle__choice *c) {
    static const char *const titles[] = {
        [TULLE__NO_PRECOND] = "no preconditioner",
        [TULLE__JACOBI] = "the diagonal",
        [TULLE__BLOCK_JACOBI] = "blocks of the diagonal",
        [TULLE__ILU] = "ILU(0)",
        [TULLE__IC] = "IC(0)",
        [TULLE__MILU] = "MILU(0)",
        [TULLE__COMPLETE] = "complete factors",
        [TULLE__POLYNOMIAL] = "Chebyshev's polynomial",
        [TULLE__MULTIGRID] = "multigrid",
        [TULLE__PLAIN_AMG] = "multigrid by plain aggregation",
        [TULLE__SMOOTHED_AMG] = "multigrid by smoothed aggregation"};
    const bool fills = c->way.precond.kind == TULLE__ILU && c->way.precond.number == 1;
    return fills ? "ILU(1)" : titles[c->way.precond.kind];
}

static void set_blocks_why(const tulle__choice *c, char *why) {
    snprintf(why, TULLE_WHY, "%.0f %% of its blocks of %" PRId64 " x %" PRId64 " are entries",
             100 * c->facts.block_filled, c->facts.block, c->facts.block);
}

/* Factors with the pattern of A: L L^T where the method wants that, otherwise L U, of blocks where
 * blocks are full. */
static void set_factors(tulle__choice *c) {
    const bool ic = wants_definite(c->way.method) && is_csr(c);
    c->way.precond = (tulle__precond){.kind = ic ? TULLE__IC : TULLE__ILU};
    c->way.block = 0;
    c->format_why[0] = '\0';
    if (ic || !has_blocks(c)) return;
    c->way.block = c->facts.block;
    set_blocks_why(c, c->format_why);
}

/* The preconditioner that can always be made, and is cheap. */
static void set_diagonal(tulle__choice *c) {
    c->way.precond = (tulle__precond){.kind = TULLE__JACOBI};
    c->way.block = 0;
    c->format_why[0] = '\0';
    if (c->facts.block == 0) return;
    c->way.precond = (tulle__precond){.kind = TULLE__BLOCK_JACOBI, .number = (int)c->facts.block};
}

/* Sets factors as the preconditioner, and finds out by counts whether they are worth their time;
 * c->precond_why says why, or why not. */
static tulle_status look_at_factors(tulle__choice *c, tulle__cost *found, bool *good) {
    tulle__cost cost;
    char *why = c->precond_why;
    *good = false;
    *found = (tulle__cost){.ratio = 1};
    if (c->facts.not_finite > 0) {
        snprintf(why, TULLE_WHY, "there are no factors of Inf or NaN");
        return TULLE_OK;
    }
    if (!is_csr(c) && c->info.format != TULLE_BSR) {
        snprintf(why, TULLE_WHY, "there are no factors of %s", tulle_format_name(c->info.format));
        return TULLE_OK;
    }
    set_factors(c);
    const tulle_status status = tulle__cost_find(c->ctx, c->A, &c->facts, &c->way, &cost);
    if (status != TULLE_OK) return status;
    *found = cost;
    if (cost.making > most_making) {
        snprintf(why, TULLE_WHY, "making %s takes as long as about %.0f products with A",
                 tulle__precond_title(c), cost.making);
        return TULLE_OK;
    }
    *good = cost.ratio <= fewer;
    snprintf(why, TULLE_WHY,
             "with %s an iteration takes %.1f times as long, and%s about %g times fewer are needed",
             tulle__precond_title(c), cost.ratio, *good ? "" : " only", fewer);
    return TULLE_OK;
}

static void note_factors(tulle__choice *c) {
    if (c->way.precond.kind == TULLE__IC) c->tried_ic = true;
    if (c->way.precond.kind == TULLE__ILU) c->tried_lu = true;
}

/* Rows can change places where A itself is iterated with, no method wants A symmetric, and no null
 * space is given, which would no more be that of the transpose. */
static bool may_permute(const tulle__choice *c) {
    const tulle_solver_options *o = &c->options->solver;
    if (o->constant_null_space || o->null_space) return false;
    return c->precond_open && !c->tried_permuted && !c->options->instead && is_csr(c) &&
           !wants_definite(c->way.method) && c->facts.not_finite == 0;
}

static const char permuted_why[] = "rows change places for large entries on the diagonal";

/* Multigrid is for the matrices of scalar elliptic problems: symmetric, with a positive diagonal
 * and nearly no other positive entries, as CG with this choice takes for granted. */
static bool may_coarsen(const tulle__choice *c) {
    const tulle_facts *f = &c->facts;
    const bool open = c->method_open && c->precond_open && !c->options->instead && !c->tried_amg;
    if (!open || c->way.method != TULLE_CG || !is_csr(c) || f->block > 0) return false;
    if (f->not_finite > 0 || f->off_diagonal == 0) return false;
    return (double)f->off_positive <= most_positive * (double)f->off_diagonal;
}

static bool is_multigrid(tulle__precond_kind kind) {
    return kind == TULLE__MULTIGRID || kind == TULLE__PLAIN_AMG || kind == TULLE__SMOOTHED_AMG;
}

static void set_family(tulle__choice *c, tulle__precond_kind family) {
    c->way.trial = MOST_AMG;
    c->way.slowest = family == TULLE__PLAIN_AMG ? slow_aggregation : slow_classical;
    c->way.precond = (tulle__precond){.kind = family, .number = 2};
}

/* True where plain aggregation comes before the classical family. */
static bool is_even(const tulle__choice *c) {
    const double uneven = (double)c->facts.uneven, rows = (double)c->info.rows;
    return c->info.backend == TULLE_CPU && uneven <= most_uneven * rows;
}

static void take_amg(tulle__choice *c) {
    c->tried_amg = true;
    c->single = c->way.precond;
    c->single_block = c->way.block;
    c->way.block = 0;
    c->format_why[0] = '\0';
    set_family(c, is_even(c) ? TULLE__PLAIN_AMG : TULLE__MULTIGRID);
}

/* Goes on with the classical family after plain aggregation, or with the preconditioner that would
 * have been chosen without multigrid. */
static void leave_family(tulle__choice *c, const char *why) {
    snprintf(c->precond_why, TULLE_WHY, "%s", why);
    if (c->way.precond.kind == TULLE__PLAIN_AMG) {
        set_family(c, TULLE__MULTIGRID);
        return;
    }
    c->way.trial = 0;
    c->way.slowest = 0;
    c->way.precond = c->single;
    c->way.block = c->single_block;
}

/* Takes multigrid where it is expected to be the least work; else plans it for the time when the
 * preconditioner that was chosen has taken as long. */
static void look_at_multigrid(tulle__choice *c, const tulle__cost *cost, bool factors) {
    c->coarse = (double)INFINITY;
    if (!may_coarsen(c)) return;
    const double each = factors ? cost->ratio : 1, times = factors ? fewer : 1;
    const double price = is_even(c) ? price_of_aggregation : price_of_classical;
    const double length = (double)(c->info.nnz - c->facts.zeros) / (double)c->info.rows;
    const double expected = cost->chain * fmin(SHORT_ROW / length, 1);
    if (expected / times * each <= price) {
        c->coarse = price / each;
        c->way.trial = (int)c->coarse;
        return;
    }
    take_amg(c);
    snprintf(c->precond_why, TULLE_WHY,
             "A is like that of an elliptic problem, and chains of %.0f rows ask for about %.0f "
             "iterations with the diagonal",
             cost->chain, expected);
}

static tulle_status choose_precond(tulle__choice *c) {
    tulle__cost cost;
    bool good;
    const tulle_status status = look_at_factors(c, &cost, &good);
    if (status != TULLE_OK) return status;
    if (good) note_factors(c);
    if (!good) set_diagonal(c);
    look_at_multigrid(c, &cost, good);
    if (c->facts.block > 0 && c->way.block == 0 && !c->options->keep_format) {
        char blocks[TULLE_WHY];
        set_blocks_why(c, blocks);
        add_why(c->precond_why, blocks);
    }
    return TULLE_OK;
}

static void forget_order(tulle__choice *c) {
    tulle_order_destroy(c->order);
    c->order = NULL;
    c->way.order = NULL;
}

void tulle__choice_free(tulle__choice *c) {
    forget_order(c);
}

/* Chooses factors of A with its rows permuted; blocks of neighbouring rows are lost. */
static void take_permuted(tulle__choice *c) {
    forget_order(c);
    c->complete = 0;
    c->permute = c->tried_permuted = true;
    c->tried_lu = true;
    c->facts.block = 0;
    c->way.block = 0;
    c->way.precond = (tulle__precond){.kind = TULLE__ILU};
    c->format_why[0] = '\0';
    snprintf(c->precond_why, TULLE_WHY, "%s", permuted_why);
}

/* True where complete factors may come before a method has failed. On a GPU, rows of complete
 * factors wait for each other too long. */
static bool may_complete(const tulle__choice *c) {
    const bool open = c->method_open && c->precond_open && !c->options->instead;
    if (!open || !is_csr(c) || c->tried_complete || c->info.backend != TULLE_CPU) return false;
    return c->facts.not_finite == 0;
}

/* Lets a method end after some iterations where complete factors may be worth more. */
static void plan_trial(tulle__choice *c) {
    const bool gmres = c->way.method == TULLE_GMRES && c->way.restart == 0;
    const bool small = c->info.rows <= MOST_COMPLETE && may_complete(c) && c->trials == 0;
    if (c->way.method == TULLE_CG) {
        const bool factors = tulle__precond_is_factors(c->way.precond.kind);
        const int most = factors ? TRIAL_OF_CG : MOST_TRIAL;
        const bool later = c->way.trial == 0 || c->way.trial > most;
        if (small && later && !is_multigrid(c->way.precond.kind)) c->way.trial = most;
        return;
    }
    c->way.trial = gmres && may_complete(c) && c->trials == 0 ? TRIAL : 0;
}

static bool take_complete(tulle__choice *c) {
    const bool wants_other = wants_definite(c->way.method);
    if (!c->precond_open || c->tried_complete || wants_other || !is_csr(c)) return false;
    if (c->info.rows > MOST_COMPLETE || c->facts.not_finite > 0) return false;
    c->tried_complete = true;
    c->way.trial = 0;
    c->way.block = 0;
    c->way.order = c->order;
    c->format_why[0] = '\0';
    c->way.precond = (tulle__precond){.kind = TULLE__COMPLETE};
    snprintf(c->precond_why, TULLE_WHY, "with incomplete factors there was no solution");
    return true;
}

/* Counts complete factors, in iterations of the way that is chosen. */
static tulle_status count_complete(tulle__choice *c) {
    if (c->complete > 0) return TULLE_OK;
    const tulle_status status =
        tulle__cost_complete(c->ctx, c->A, &c->facts, &c->way, MOST_TRIAL, &c->complete, &c->order);
    if (status != TULLE_OUT_OF_MEMORY && status != TULLE_TOO_LARGE) return status;
    c->complete = (double)INFINITY;
    return TULLE_OK;
}

/* Sets complete factors, which the method takes as a preconditioner. */
static void set_complete(tulle__choice *c) {
    c->way.block = 0;
    c->way.trial = MOST_WITH_COMPLETE;
    c->format_why[0] = '\0';
    c->way.precond = (tulle__precond){.kind = TULLE__COMPLETE};
    c->way.order = c->order;
    c->tried_lu = true;
    c->tried_complete = !may_permute(c);
}

/* Takes complete factors of a small system in the place of GMRES with incomplete ones, where they
 * are cheap. */
static tulle_status look_at_complete(tulle__choice *c) {
    if (c->way.method != TULLE_GMRES || !may_complete(c) || c->permute) return TULLE_OK;
    if (c->info.rows > MOST_COMPLETE || c->info.rows == 0) return TULLE_OK;
    TULLE__TRY(count_complete(c));
    if (c->complete > AT_ONCE) return TULLE_OK;
    set_complete(c);
    snprintf(c->precond_why, TULLE_WHY,
             "making complete factors takes about as long as %.0f iterations of gmres",
             c->complete);
    return TULLE_OK;
}

tulle_status tulle__choose(tulle__choice *c) {
    c->way = c->given;
    if (c->method_open || c->precond_open) {
        const tulle_status status = tulle__mat_facts(c->ctx, c->A, false, &c->facts);
        if (status != TULLE_OK) return status;
    }
    if (c->method_open) choose_method(c);
    choose_restart(c);
    const tulle_status status = c->precond_open ? choose_precond(c) : TULLE_OK;
    const bool hollow = !c->facts.symmetric && c->facts.empty_diagonal >= 0;
    if (status == TULLE_OK && hollow && may_permute(c)) take_permuted(c);
    plan_trial(c);
    return status == TULLE_OK ? look_at_complete(c) : status;
}

bool tulle__choose_other_precond(tulle__choice *c, const char *why) {
    const tulle__precond_kind failed = c->way.precond.kind;
    const bool blocks = failed == TULLE__BLOCK_JACOBI;
    if (!c->precond_open || failed == TULLE__NO_PRECOND) return false;
    if (is_multigrid(failed)) {
        leave_family(c, why);
        return true;
    }
    if (blocks || failed == TULLE__JACOBI) {
        const tulle__precond_kind next = blocks ? TULLE__JACOBI : TULLE__NO_PRECOND;
        c->way.precond = (tulle__precond){.kind = next};
        add_why(c->precond_why, why);
        return true;
    }
    if (may_permute(c)) {
        take_permuted(c);
        snprintf(c->precond_why, TULLE_WHY, "%s; %s", why, permuted_why);
        return true;
    }
    if (take_complete(c)) {
        add_why(c->precond_why, why);
        return true;
    }
    snprintf(c->precond_why, TULLE_WHY, "%s", why);
    set_diagonal(c);
    c->way.trial = 0;
    if (may_coarsen(c)) {
        c->coarse = is_even(c) ? price_of_aggregation : price_of_classical;
        c->way.trial = (int)c->coarse;
    }
    plan_trial(c);
    return true;
}

static bool is_diagonal(const tulle__choice *c) {
    return !tulle__precond_is_factors(c->way.precond.kind);
}

/* Factors that were left out for their time. */
static bool take_factors(tulle__choice *c) {
    const bool is_left = wants_definite(c->way.method) ? !c->tried_ic : !c->tried_lu;
    if (!c->precond_open || !is_left || c->facts.not_finite > 0) return false;
    if (!is_csr(c) && c->info.format != TULLE_BSR) return false;
    set_factors(c);
    note_factors(c);
    snprintf(c->precond_why, TULLE_WHY, "without factors there was no solution");
    return true;
}

/* GMRES takes any A, and factors that are not definite. */
static tulle_status take_gmres(tulle__choice *c, tulle_outcome outcome, bool *found) {
    char ended[TULLE_WHY];
    *found = c->method_open && c->way.method != TULLE_GMRES;
    if (!*found) return TULLE_OK;
    snprintf(ended, sizeof ended, "%s ended as %s", tulle_method_name(c->way.method),
             tulle_outcome_name(outcome));
    add_why(c->method_why, ended);
    c->way.method = TULLE_GMRES;
    choose_restart(c);
    c->trials = 0;
    c->complete = 0; /* counted in iterations of CG */
    forget_order(c);
    const tulle_status status = !c->precond_open || c->tried_lu ? TULLE_OK : choose_precond(c);
    plan_trial(c);
    return status;
}

/* The last way: GMRES with many vectors, and factors with one level of fill. */
static bool take_long_gmres(tulle__choice *c) {
    if (!c->method_open || !c->precond_open || c->way.method != TULLE_GMRES) return false;
    if (c->options->solver.restart > 0 || c->way.restart >= LONG_RESTART) return false;
    if (c->way.precond.kind == TULLE__COMPLETE) return false;
    if (c->info.rows <= SMALL) return false;
    c->way.restart = LONG_RESTART;
    add_why(c->method_why, "with 30 vectors it ended without a solution");
    if (!is_diagonal(c)) {
        c->way.precond.number = 1;
        snprintf(c->precond_why, TULLE_WHY, "with less fill there was no solution");
    }
    return true;
}

/* MINRES never begins anew, which GMRES of a symmetric A pays for with each restart. */
static bool take_minres(tulle__choice *c) {
    if (!c->method_open || !c->facts.symmetric || c->permuted || c->tried_minres) return false;
    if (c->way.method != TULLE_GMRES || c->info.rows <= SMALL) return false;
    c->tried_minres = true;
    c->way.method = TULLE_MINRES;
    add_why(c->method_why, "gmres ended without a solution");
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
    if (take_minres(c)) return true;
    if (c->way.method == TULLE_MINRES) {
        c->way.method = TULLE_GMRES;
        choose_restart(c);
    }
    if (may_permute(c)) {
        take_permuted(c);
        return true;
    }
    return take_complete(c) || take_long_gmres(c);
}

static void take_complete_after_trial(tulle__choice *c) {
    set_complete(c);
    snprintf(c->precond_why, TULLE_WHY,
             "%s took %d iterations, and making complete factors takes about as long as %.0f",
             tulle_method_name(c->way.method), c->trials, c->complete);
}

/* Goes on after a trial: as before, or with complete factors where these are cheap and GMRES has
 * had as much time. */
static tulle_status end_trial(tulle__choice *c) {
    c->trials += c->way.trial;
    c->way.trial = 0;
    TULLE__TRY(count_complete(c));
    if (c->complete > MOST_TRIAL) return TULLE_OK;
    if (c->complete >= c->trials + TRIAL) c->way.trial = (int)ceil(c->complete) - c->trials;
    if (c->way.trial == 0) take_complete_after_trial(c);
    return TULLE_OK;
}

/* Goes on after a trial of CG: with complete factors of a small system or with multigrid, whichever
 * costs less, once CG has had as much time. */
static tulle_status end_trial_of_cg(tulle__choice *c) {
    c->trials += c->way.trial;
    c->way.trial = 0;
    const bool small = c->info.rows <= MOST_COMPLETE && may_complete(c);
    if (small) TULLE__TRY(count_complete(c));
    const double complete = small ? c->complete : (double)INFINITY;
    const double coarse = may_coarsen(c) ? c->coarse : (double)INFINITY;
    const double next = fmin(complete, coarse);
    if (isinf(next)) return TULLE_OK;
    if (next >= c->trials + TRIAL) {
        c->way.trial = (int)ceil(next) - c->trials;
        return TULLE_OK;
    }
    if (complete <= coarse) {
        take_complete_after_trial(c);
        return TULLE_OK;
    }
    take_amg(c);
    snprintf(c->precond_why, TULLE_WHY,
             "A is like that of an elliptic problem, and %d iterations were not enough", c->trials);
    return TULLE_OK;
}

/* Goes on after multigrid that gains too little. */
static void end_trial_of_amg(tulle__choice *c) {
    char why[TULLE_WHY];
    const char *title = tulle__precond_title(c);
    if (c->slow > 0) {
        snprintf(why, sizeof why, "with %s an iteration left %.2g of the residual", title, c->slow);
    } else {
        snprintf(why, sizeof why, "with %s %d iterations were not enough", title, c->way.trial);
    }
    leave_family(c, why);
}

tulle_status tulle__choose_next(tulle__choice *c, tulle_outcome outcome, bool *found) {
    const bool complete = c->way.precond.kind == TULLE__COMPLETE;
    const bool trial_ends = c->way.trial > 0 && outcome == TULLE_MOST_ITERATIONS;
    if (trial_ends && complete) outcome = TULLE_STAGNATED;
    if (trial_ends && !complete) {
        *found = true;
        if (c->way.method != TULLE_CG) return end_trial(c);
        if (!is_multigrid(c->way.precond.kind)) return end_trial_of_cg(c);
        end_trial_of_amg(c);
        return TULLE_OK;
    }
    c->way.trial = 0;
    c->way.slowest = 0;
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
