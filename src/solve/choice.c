/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the first attempt, from the facts of the matrix. */
#include "solve/choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "matrix/facts.h"
#include "solve/cost.h"
#include "solve/ways.h"

/* With incomplete factors a method takes a third of the iterations that it takes with the
 * diagonal, and two fifths where A is like the matrix of an elliptic problem: 1.9 to 2.8 times
 * fewer for p2d5, p3d7, p3d27 and fem, and 30 to 200 times fewer for some real matrices
 * (docs/lab-notes.md, "What tulle_solve expects"). */
static const double fewer_of_most = 3, fewer_of_elliptic = 2.5;

/* Computing factors may take as long as so many products with A. */
static const double most_making = 200;

void tulle__add_why(char *why, const char *more) {
    const size_t length = strlen(why);
    snprintf(why + length, TULLE_WHY - length, "%s%s", length > 0 ? "; " : "", more);
}

static const char *rounded(const tulle_facts *f) {
    return f->equal == f->off_diagonal ? "" : " but for rounding";
}

/* Returns true where A may be the sum of a positive definite matrix and one so small that CG does
 * not notice: circuits and assembled matrices with rough entries are often like that. CG needs a
 * half to a seventh of the time of GMRES there (docs/lab-notes.md, "Choices on an H200"), and its
 * solutions are tested as any other's are. */
static bool is_nearly_definite(const tulle__choice *c) {
    const tulle_facts *f = &c->facts;
    const bool open = c->precond_open && tulle__choice_is_csr(c);
    return open && f->nearly_symmetric && !f->symmetric && f->not_dominant > 0 &&
           f->diagonal_positive == c->info.rows && f->indefinite_pairs == 0;
}

/* Iterations that CG has for a nearly symmetric A, and those after which its norm must have fallen.
 */
enum { MOST_NEARLY = 1000, LOOK_NEARLY = 250 };

void tulle__limit_nearly(tulle__choice *c) {
    if (!c->nearly || c->way.trial > 0) return;
    c->way.trial = MOST_NEARLY;
    c->way.stall = LOOK_NEARLY;
}

/* Chooses the method by the facts of A, and says why. CG is chosen for a symmetric matrix that may
 * be positive definite, that is, where the facts do not show the contrary; CG itself finds out
 * whether it is. */
static void choose_method(tulle__choice *c) {
    const tulle_facts *f = &c->facts;
    const char *sign = c->negated ? "-" : "";
    char *why = c->method_why;
    c->way.method = TULLE_GMRES;
    if (f->not_finite > 0) {
        snprintf(why, TULLE_WHY, "A has Inf or NaN in row %" PRId64 ", column %" PRId64, f->bad_row,
                 f->bad_column);
    } else if (f->symmetric && f->diagonal_positive == c->info.rows && f->indefinite_pairs == 0) {
        c->way.method = TULLE_CG;
        snprintf(why, TULLE_WHY, "%sA is symmetric%s, and its diagonal is positive%s", sign,
                 rounded(f), f->not_dominant == 0 ? " and dominant" : "");
    } else if (f->symmetric && f->diagonal_positive < c->info.rows) {
        snprintf(why, TULLE_WHY,
                 "A is symmetric%s and not positive definite: not all of its diagonal is positive",
                 rounded(f));
    } else if (f->symmetric) {
        snprintf(why, TULLE_WHY,
                 "A is symmetric%s and not positive definite: %" PRId64
                 " of its entries are larger than the diagonal allows",
                 rounded(f), f->indefinite_pairs);
    } else if (is_nearly_definite(c)) {
        c->nearly = true;
        c->way.method = TULLE_CG;
        snprintf(why, TULLE_WHY,
                 "A is symmetric to within a 64th of its diagonal, which is positive");
    } else if (f->not_dominant == 0) {
        c->way.method = TULLE_BICGSTAB;
        snprintf(why, TULLE_WHY, "A is not symmetric, and its diagonal is dominant");
    } else {
        snprintf(why, TULLE_WHY,
                 "A is not symmetric, and its diagonal is not dominant in %" PRId64 " rows",
                 f->not_dominant);
    }
}

/* Iterations of BiCGStab on trial, and those after which its norm must have fallen. */
enum { MOST_SHORT = 1000, FIRST_LOOK = 250 };

/* Returns true where BiCGStab with the diagonal is worth a trial before GMRES. On a GPU GMRES waits
 * for as many launches in an iteration as BiCGStab in two, and BiCGStab, which never begins anew,
 * needs a third to a tenth of the iterations where it gets there at all (docs/lab-notes.md,
 * "Choices on an H200"). Where it does not, its norm seldom falls, and the trial is short. */
static bool may_be_short(const tulle__choice *c) {
    const tulle_facts *f = &c->facts;
    const bool open = c->method_open && c->precond_open && tulle__choice_is_csr(c);
    if (!open || c->way.method != TULLE_GMRES || f->symmetric) return false;
    if (f->not_finite > 0 || f->empty_diagonal >= 0 || tulle__may_take_nodes(c)) return false;
    return c->info.backend != TULLE_CPU && c->info.rows > TULLE__SMALL_SYSTEM;
}

void tulle__try_short(tulle__choice *c) {
    if (!may_be_short(c)) return;
    c->short_first = true;
    c->way.method = TULLE_BICGSTAB;
    c->way.trial = MOST_SHORT;
    c->way.stall = FIRST_LOOK;
    c->coarse = (double)INFINITY;
    tulle__set_diagonal(c);
    tulle__add_why(c->method_why, "on a GPU bicgstab comes before gmres");
    snprintf(c->precond_why, TULLE_WHY, "the diagonal is enough to find out");
}

/* Returns true when -A may be positive definite, and nothing that the caller gave is for A: -A x =
 * -b has the same x, and methods and preconditioners that A x = b has not. */
static bool is_better_negated(const tulle__choice *c) {
    const tulle_facts *f = &c->facts;
    const tulle_solve_options *o = c->options;
    const bool open = c->sign_open && c->method_open && c->precond_open && tulle__choice_is_csr(c);
    if (!open || o->instead || o->keep_precond || o->keep_format || o->mixed) return false;
    return c->info.rows > 0 && f->symmetric && f->not_finite == 0 && f->diagonal_positive == 0 &&
           f->empty_diagonal < 0;
}

/* Gives GMRES all vectors of a small system, where nobody says how many. */
void tulle__choose_restart(tulle__choice *c) {
    c->way.restart = c->options->solver.restart;
    if (!c->method_open || c->way.method != TULLE_GMRES || c->way.restart > 0) return;
    if (c->info.rows <= TULLE__SMALL_SYSTEM)
        c->way.restart = (int)(c->info.rows > 0 ? c->info.rows : 1);
}

/* Returns true for the methods that need a symmetric and positive definite preconditioner. */
bool tulle__wants_definite(tulle_method method) {
    return method == TULLE_CG || method == TULLE_CHEBYSHEV || method == TULLE_MINRES;
}

bool tulle__choice_is_csr(const tulle__choice *c) {
    return c->info.format == TULLE_CSR;
}

bool tulle__choice_has_factors(const tulle__choice *c) {
    const tulle_storage *s = &c->info.storage;
    return tulle__choice_is_csr(c) || (c->info.format == TULLE_BSR && s->block == s->block_cols);
}

static bool has_blocks(const tulle__choice *c) {
    return c->facts.block > 0 && tulle__choice_is_csr(c) && !c->options->keep_format;
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

void tulle__set_block(tulle__choice *c) {
    c->way.block = c->facts.block;
    set_blocks_why(c, c->format_why);
}

/* Chooses factors with the pattern of A as the preconditioner: L L^T where the method needs a
 * definite one, otherwise L U, of blocks where A's blocks are full. */
void tulle__set_factors(tulle__choice *c) {
    const bool ic = tulle__wants_definite(c->way.method) && tulle__choice_is_csr(c);
    c->way.precond = (tulle__precond){.kind = ic ? TULLE__IC : TULLE__ILU};
    c->way.block = 0;
    c->format_why[0] = '\0';
    if (!ic && has_blocks(c)) tulle__set_block(c);
}

/* Chooses the diagonal as the preconditioner, or blocks along it where A's blocks are full: it is
 * cheap and can nearly always be made. */
void tulle__set_diagonal(tulle__choice *c) {
    c->way.precond = (tulle__precond){.kind = TULLE__JACOBI};
    c->way.block = 0;
    c->format_why[0] = '\0';
    if (c->facts.block == 0) return;
    c->way.precond = (tulle__precond){.kind = TULLE__BLOCK_JACOBI, .number = (int)c->facts.block};
}

/* Sets factors as the preconditioner, and finds out by counts whether they are worth their time;
 * c->precond_why says why, or why not. */
static tulle_status look_at_factors(tulle__choice *c, double fewer, tulle__cost *found,
                                    bool *good) {
    tulle__cost cost;
    char *why = c->precond_why;
    *good = false;
    *found = (tulle__cost){.ratio = 1};
    if (c->facts.not_finite > 0) {
        snprintf(why, TULLE_WHY, "there are no factors of Inf or NaN");
        return TULLE_OK;
    }
    if (!tulle__choice_has_factors(c)) {
        snprintf(why, TULLE_WHY, "there are no factors of %s%s", tulle_format_name(c->info.format),
                 c->info.format == TULLE_BSR ? " whose blocks are not square" : "");
        return TULLE_OK;
    }
    tulle__set_factors(c);
    const tulle_status status =
        tulle__cost_find(c->ctx, c->A, &c->facts, &c->way, &c->levels, &cost);
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

void tulle__note_factors(tulle__choice *c) {
    if (c->way.precond.kind == TULLE__IC) c->tried_ic = true;
    if (c->way.precond.kind == TULLE__ILU) c->tried_lu = true;
}

/* Returns true when the rows of A may be permuted: A itself is iterated with, the method does not
 * need a symmetric A, no permutation has been tried, and no null space is given, which would not be
 * that of the permuted matrix's transpose. */
bool tulle__may_permute(const tulle__choice *c) {
    const tulle_solver_options *o = &c->options->solver;
    if (o->constant_null_space || o->null_space) return false;
    return c->precond_open && !c->tried_permuted && !c->options->instead &&
           tulle__choice_is_csr(c) && !tulle__wants_definite(c->way.method) &&
           c->facts.not_finite == 0;
}

tulle_status tulle__choose_precond(tulle__choice *c) {
    tulle__cost cost;
    bool good;
    const double fewer = tulle__may_coarsen(c) ? fewer_of_elliptic : fewer_of_most;
    const tulle_status status = look_at_factors(c, fewer, &cost, &good);
    if (status != TULLE_OK) return status;
    c->iteration = cost.iteration;
    if (good) tulle__note_factors(c);
    if (!good) tulle__set_diagonal(c);
    if (tulle__may_take_nodes(c)) {
        tulle__take_nodes(c);
        return TULLE_OK;
    }
    tulle__look_at_multigrid(c, cost.chain, good ? cost.ratio : 1, good ? fewer : 1);
    if (c->facts.block > 0 && c->way.block == 0 && !c->options->keep_format) {
        char blocks[TULLE_WHY];
        set_blocks_why(c, blocks);
        tulle__add_why(c->precond_why, blocks);
    }
    return TULLE_OK;
}

void tulle__forget_order(tulle__choice *c) {
    tulle_order_destroy(c->order);
    c->order = NULL;
    c->order_ms = 0;
    c->way.order = NULL;
}

/* Forgets what was counted in rows that are to change places. */
static void forget_counts(tulle__choice *c) {
    tulle__forget_order(c);
    c->complete = 0;
    c->levels = (tulle__levels){.levels = 0};
}

void tulle__choice_free(tulle__choice *c) {
    tulle__forget_order(c);
}

/* Chooses factors of A with its rows permuted; blocks of neighbouring rows are lost. */
void tulle__take_permuted(tulle__choice *c, const char *why) {
    forget_counts(c);
    c->permute = c->tried_permuted = true;
    c->tried_lu = true;
    c->facts.block = 0;
    c->way.block = 0;
    c->way.precond = (tulle__precond){.kind = TULLE__ILU};
    c->format_why[0] = '\0';
    snprintf(c->precond_why, TULLE_WHY, "%s%srows change places for large entries on the diagonal",
             why ? why : "", why ? "; " : "");
}

void tulle__restore_rows(tulle__choice *c) {
    if (!c->permuted) return;
    forget_counts(c);
    c->restore = true;
}

/* Finds the facts of A. Those of -A follow from those of A, which were counted before: no number is
 * Inf or NaN, and all of the diagonal has the same sign. */
static tulle_status find_facts(tulle__choice *c) {
    tulle_facts *f = &c->facts;
    if (!c->method_open && !c->precond_open) return TULLE_OK;
    if (!c->negated) return tulle__mat_facts(c->ctx, c->A, false, f);
    f->diagonal_positive = f->diagonal;
    f->off_positive = f->off_diagonal - f->off_positive - f->zeros;
    return TULLE_OK;
}

tulle_status tulle__choose(tulle__choice *c) {
    c->way = c->given;
    TULLE__TRY(find_facts(c));
    c->negate = is_better_negated(c);
    if (c->negate) return TULLE_OK;
    if (c->method_open) choose_method(c);
    tulle__try_short(c);
    if (c->short_first) return TULLE_OK;
    tulle__choose_restart(c);
    const tulle_status status = c->precond_open ? tulle__choose_precond(c) : TULLE_OK;
    const bool hollow = !c->facts.symmetric && c->facts.empty_diagonal >= 0;
    if (status == TULLE_OK && hollow && tulle__may_permute(c)) tulle__take_permuted(c, NULL);
    tulle__plan_trial(c);
    tulle__limit_nearly(c);
    return status == TULLE_OK ? tulle__look_at_complete(c) : status;
}
