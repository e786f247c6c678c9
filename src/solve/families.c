/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid among the ways of a solution: when it comes, in which family, and when it goes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "solve/ways.h"
#include "vector/operands.h"

/* Making a hierarchy and solving with it takes about as long as so many iterations of CG with the
 * diagonal on a CPU. Measured on two cores: plain aggregation 170 to 290 for p2d5 and p3d7, the
 * classical family 290 to 410 for these, and 180 for fem:20000. CG with the diagonal takes about as
 * many iterations as rows wait for each other in the longest chain of A's lower triangle: 3,736 for
 * the chain of 3,999 of p2d5:2000, and 611 for that of 766 of p3d7:256. A chain through longer rows
 * is as much longer as the rows are: that of p3d27:64 has 442 rows for 92 iterations. Where fewer
 * are expected and more are needed, multigrid follows after so many, as complete factors follow
 * GMRES. */
static const double price_of_aggregation = 250, price_of_classical = TULLE__PRICE_OF_AMG;

/* Nanoseconds of making a hierarchy and solving with it on a GPU: for the launches and waits of
 * each level, of which there is one more where A has so many times the rows, and for each row and
 * entry of A. Measured on an H200, in a process whose kernels are loaded, setup and solution: plain
 * aggregation 20 ms for p3d7:128, 106 for p3d7:256, 34 for p2d5:2000, 36 for p3d27:128, 16 for
 * p2d5:1000; the classical family 27, 160, 34, 40 and 13, 11 for p3d7:64, 7 for p2d5:300, 4.6 for
 * fem:20000, and 3 for 1,138 rows. */
typedef struct gpu_price {
    double shrinks, level, row, entry;
} gpu_price;
static const gpu_price gpu_aggregation = {10, 2.6e6, 3, 0.3}, gpu_classical = {8, 1.7e6, 5.5, 0.32};
static const double rows_of_last = 256;
enum { SHORT_ROW = 7 };

/* BiCGStab with the diagonal takes three quarters of CG's iterations for such chains (456 for that
 * of 599 of p2d5:300 with a slow flow, and more the faster the flow is), each as long as two. */
static const double of_chain = 0.75, length_of_bicgstab = 2;

/* Share of multigrid's price after which CG with the diagonal must have begun to lower the norm. */
static const double first_look = 0.25;

/* CG with a hierarchy that is worth its work needs fewer iterations than these. */
enum { MOST_AMG = 200 };

/* Plain aggregation makes a hierarchy in 0.2 to 0.5 times the time of the classical family, and
 * comes first where at most this share of the rows have uneven entries: where entries are alike, it
 * takes 1.2 to 2 times the iterations. */
static const double most_uneven = 0.1;

/* Mean factors of the norm in the first iterations from which plain aggregation gives way to the
 * classical family, and the classical family to what is no multigrid. */
static const double slow_aggregation = 0.75, slow_classical = 0.9;

/* Share of A's entries off the diagonal that may be positive where A counts as elliptic: linear
 * elements have some, on triangles with an angle above 90 degrees. */
static const double most_positive = 0.25;

/* Returns true when multigrid may be chosen: A looks like the matrix of a scalar elliptic problem,
 * with a positive diagonal and at most a quarter of the other entries positive. CG has checked that
 * A is symmetric, BiCGStab that the diagonal is dominant (a problem with a flow). */
bool tulle__may_coarsen(const tulle__choice *c) {
    const tulle_facts *f = &c->facts;
    const bool open = c->method_open && c->precond_open && !c->options->instead && !c->tried_amg;
    const bool takes = c->way.method == TULLE_CG || c->way.method == TULLE_BICGSTAB;
    if (!open || !takes || !tulle__choice_is_csr(c) || f->block > 0) return false;
    if (f->not_finite > 0 || f->off_diagonal == 0) return false;
    if (f->diagonal_positive < c->info.rows) return false;
    return (double)f->off_positive <= most_positive * (double)f->off_diagonal;
}

bool tulle__has_nodes(const tulle_solve_options *o) {
    return o->block > 1 || o->near_null;
}

bool tulle__may_take_nodes(const tulle__choice *c) {
    const tulle_facts *f = &c->facts;
    if (!tulle__has_nodes(c->options) || !c->precond_open || c->tried_amg) return false;
    if (f->not_finite > 0 || f->diagonal_positive < c->info.rows) return false;
    return !f->symmetric || f->indefinite_pairs == 0;
}

bool tulle__is_multigrid(tulle__precond_kind kind) {
    return kind == TULLE__MULTIGRID || kind == TULLE__PLAIN_AMG || kind == TULLE__SMOOTHED_AMG;
}

static void set_family(tulle__choice *c, tulle__precond_kind family) {
    c->way.trial = MOST_AMG;
    c->way.stall = 0;
    c->way.slowest = family == TULLE__PLAIN_AMG ? slow_aggregation : slow_classical;
    if (c->way.method == TULLE_BICGSTAB) c->way.slowest *= c->way.slowest;
    c->way.precond = (tulle__precond){.kind = family, .number = 2};
}

/* Returns the mean number of entries of a row. */
static double length_of(const tulle__choice *c) {
    return (double)(c->info.nnz - c->facts.zeros) / (double)c->info.rows;
}

static double on_gpu(const tulle__choice *c, const gpu_price *of) {
    const double rows = (double)c->info.rows, more = fmax(rows / rows_of_last, 1);
    const double levels = 1 + log(more) / log(of->shrinks);
    return of->level * levels + of->row * rows + of->entry * (double)c->info.nnz;
}

/* True where plain aggregation comes before the classical family. */
static bool aggregates_first(const tulle__choice *c) {
    if ((double)c->facts.uneven > most_uneven * (double)c->info.rows) return false;
    return c->iteration == 0 || on_gpu(c, &gpu_aggregation) < on_gpu(c, &gpu_classical);
}

/* Returns the cost of multigrid in iterations of the method with the diagonal. */
static double price_of(const tulle__choice *c) {
    const bool plain = aggregates_first(c);
    const double price = plain ? price_of_aggregation : price_of_classical;
    if (c->iteration > 0) {
        return on_gpu(c, plain ? &gpu_aggregation : &gpu_classical) / c->iteration;
    }
    return c->way.method == TULLE_BICGSTAB ? price / length_of_bicgstab : price;
}

/* Notes the preconditioner that multigrid is chosen instead of. */
static void set_single(tulle__choice *c) {
    c->tried_amg = true;
    c->single = c->way.precond;
    c->single_block = c->way.block;
    c->way.block = 0;
    c->format_why[0] = '\0';
}

/* Multigrid of nodes is not judged by its first iterations: the caller says that it fits, and jumps
 * of materials make these slow. */
void tulle__take_nodes(tulle__choice *c) {
    const tulle_solve_options *o = c->options;
    const tulle_storage *s = &c->info.storage;
    const bool csr = tulle__choice_is_csr(c), open = csr && !o->keep_format;
    const bool full = open && c->facts.block > 0 && (!o->block || o->block == c->facts.block);
    const int64_t own = csr ? 1 : s->block > 0 ? s->block : 1;
    const int64_t block = o->block ? o->block : full ? c->facts.block : own;
    const int64_t vectors = o->near_null ? o->near_null->cols : block;
    set_single(c);
    set_family(c, TULLE__SMOOTHED_AMG);
    c->way.slowest = 0;
    c->coarse = (double)INFINITY;
    if (full) tulle__set_block(c);
    snprintf(c->precond_why, TULLE_WHY,
             "nodes of %" PRId64 " unknown%s and a near null space of %" PRId64 " vector%s %s",
             block, block == 1 ? "" : "s", vectors, vectors == 1 ? "" : "s",
             o->near_null ? "are given" : "of constants are asked for");
}

void tulle__take_amg(tulle__choice *c) {
    set_single(c);
    set_family(c, aggregates_first(c) ? TULLE__PLAIN_AMG : TULLE__MULTIGRID);
}

/* Goes on with the classical family after plain aggregation, or with the preconditioner that would
 * have been chosen without multigrid. */
void tulle__leave_family(tulle__choice *c, const char *why) {
    snprintf(c->precond_why, TULLE_WHY, "%s", why);
    if (c->way.precond.kind == TULLE__PLAIN_AMG) {
        set_family(c, TULLE__MULTIGRID);
        return;
    }
    c->way.trial = 0;
    c->way.slowest = 0;
    c->way.stall = 0;
    c->way.precond = c->single;
    c->way.block = c->single_block;
}

/* Plans multigrid for the time when the method has made so many iterations, or a share of them
 * without a fall of the norm, which says that it needs more. */
static void plan_after(tulle__choice *c, double iterations) {
    c->coarse = iterations;
    c->way.trial = (int)iterations;
    c->way.stall = c->way.method == TULLE_CG ? (int)(first_look * iterations) : 0;
}

/* Takes multigrid where it is expected to be the least work; else plans it for the time when the
 * preconditioner that was chosen has taken as long. */
void tulle__look_at_multigrid(tulle__choice *c, double chain, double each, double times) {
    c->coarse = (double)INFINITY;
    if (!tulle__may_coarsen(c)) return;
    const double share = c->way.method == TULLE_BICGSTAB ? of_chain : 1;
    const double expected = share * chain * fmin(SHORT_ROW / length_of(c), 1);
    if (expected / times * each <= price_of(c)) {
        plan_after(c, price_of(c) / each);
        return;
    }
    tulle__take_amg(c);
    snprintf(c->precond_why, TULLE_WHY,
             "A is like that of an elliptic problem, and chains of %.0f rows ask for about %.0f "
             "iterations with the diagonal",
             chain, expected);
}

void tulle__plan_multigrid(tulle__choice *c) {
    c->way.trial = 0;
    c->way.stall = 0;
    if (tulle__may_coarsen(c)) plan_after(c, price_of(c));
}

/* Goes on after multigrid that gains too little. */
void tulle__end_trial_of_amg(tulle__choice *c) {
    char why[TULLE_WHY];
    const char *title = tulle__precond_title(c);
    if (c->slow > 0) {
        snprintf(why, sizeof why, "with %s an iteration left %.2g of the residual", title, c->slow);
    } else {
        snprintf(why, sizeof why, "with %s %d iterations were not enough", title, c->way.trial);
    }
    tulle__leave_family(c, why);
}
