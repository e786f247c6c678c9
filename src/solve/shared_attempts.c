/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts at a system whose rows are shared by processes, one after another. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "operator/linop.h"
#include "solve/shared.h"
#include "solver/solver.h"

static const char *const function = "tulle_dist_solve";

static tulle_solve_attempt *last(const tulle__shared *s) {
    return tulle__attempt_last(s->report);
}

static int most_attempts(const tulle__shared *s) {
    return tulle__attempts_most(s->options);
}

/* A process as the others see it. */
typedef struct telling {
    int64_t status;
    int64_t row;    /* row of the whole matrix that is at fault; -1: none */
    double seconds; /* time that the call has taken */
} telling;

/* Facts of all processes. */
typedef struct hearing {
    tulle_status first; /* failure of rank `rank`, or TULLE_OK */
    int rank;           /* lowest rank with a failure */
    int64_t row;        /* row that is at fault there; -1: none */
    double seconds;     /* time of the slowest process */
} hearing;

/* Tells all processes how this one fares, and hears how the others do. */
static tulle_status hear(const tulle__shared *s, tulle_status here, int64_t row, hearing *heard) {
    const int ranks = tulle_comm_ranks(s->A->comm);
    const telling own = {.status = here, .row = row, .seconds = tulle__seconds() - s->begun};
    telling *all = tulle__host_alloc(s->ctx, (size_t)ranks * sizeof *all);
    *heard = (hearing){.first = TULLE_OK, .row = -1};
    if (!all) return tulle__comm_spoil(s->A->comm, TULLE_OUT_OF_MEMORY);
    const tulle_status status = tulle__comm_gather(s->A->comm, &own, sizeof own, all);
    for (int r = ranks; status == TULLE_OK && r-- > 0;) {
        heard->seconds = fmax(heard->seconds, all[r].seconds);
        if (all[r].status == TULLE_OK) continue;
        heard->first = (tulle_status)all[r].status;
        heard->rank = r;
        heard->row = all[r].row;
    }
    tulle__host_free(s->ctx, all);
    return status != TULLE_OK && here != TULLE_OK ? here : status;
}

/* Makes the parts of the way in this process. Factors are of this process's block. Complete ones of
 * blocks that were brought near 1 would be factors of blocks in different units, so these stay as
 * they are, which the preconditioned norm asks for. *row: row of the whole matrix whose pivot is at
 * fault, or -1. */
static tulle_status make_own(const tulle__shared *s, tulle__parts *parts, int64_t *row) {
    tulle_solve_options options = *s->options;
    double growth = 0;
    options.solver.norm = TULLE_PRECONDITIONED_NORM;
    *row = -1;
    *parts = (tulle__parts){.A = tulle_mat_retain(s->A->block), .L = tulle__linop_retain(s->L)};
    parts->unit = 1;
    TULLE__TRY(tulle_mat_describe(parts->A, &parts->info));
    const bool coarsens = s->way.precond.kind >= TULLE__MULTIGRID;
    const tulle_status status = coarsens
                                    ? tulle__parts_coarsen(s->ctx, &s->way, s->options, s->A, parts)
                                    : tulle__parts_precondition(s->ctx, &s->way, &options, parts);
    if (status == TULLE_ZERO_PIVOT) {
        *row = tulle_last_error()->row + s->A->row_starts[tulle_comm_rank(s->A->comm)];
    }
    if (status != TULLE_OK || !parts->F || !s->precond_open) return status;
    TULLE__TRY(tulle__parts_growth(s->ctx, parts, &growth));
    if (!tulle__parts_grow(parts, growth)) return TULLE_OK;
    return tulle__fail(TULLE_ZERO_PIVOT, function, NULL, -1,
                       "solving with the factors is not stable: it grows to %.3g", growth);
}

/* True if another preconditioner may take the place of one that failed so. */
static bool excuses(tulle_status status) {
    return status == TULLE_ZERO_PIVOT || status == TULLE_UNSUPPORTED ||
           status == TULLE_OUT_OF_MEMORY || status == TULLE_TOO_LARGE;
}

/* Says in all processes why parts could not be made, where the caller gave the preconditioner. row:
 * of this process, as make_own has it. */
static tulle_status refuse(const tulle__shared *s, tulle_status here, int64_t row,
                           const hearing *heard) {
    if (here == TULLE_ZERO_PIVOT && row >= 0) {
        return tulle__fail(here, function, "A", row,
                           "%s of the own rows and columns of rank %d cannot be made: row %lld has "
                           "no pivot: give another preconditioner, or a larger shift",
                           last(s)->precond, tulle_comm_rank(s->A->comm), (long long)row);
    }
    if (here != TULLE_OK) return here;
    return tulle__fail(TULLE_PEER_FAILED, function, NULL, -1, "rank %d failed: %s", heard->rank,
                       tulle_status_text(heard->first));
}

/* Makes the parts of the way that is chosen, or of another one. *made false: none can be made. */
static tulle_status make_parts(tulle__shared *s, tulle__parts *parts, bool *made, hearing *heard) {
    *made = false;
    for (;;) {
        char why[TULLE_WHY];
        int64_t row;
        tulle__attempt_begin(s->report, &s->way);
        const double start = tulle__seconds();
        const tulle_status here = make_own(s, parts, &row);
        TULLE__TRY(hear(s, here, row, heard));
        last(s)->ms = tulle__ms_since(start);
        s->report->precond_ms += last(s)->ms;
        *made = heard->first == TULLE_OK;
        if (*made) return TULLE_OK;
        tulle__parts_free(parts);
        if (!s->precond_open || !excuses(heard->first)) return refuse(s, here, row, heard);
        last(s)->row = heard->row;
        snprintf(why, TULLE_WHY, "%s cannot be made in rank %d: %s", last(s)->precond, heard->rank,
                 tulle_status_text(heard->first));
        if (s->report->attempts >= most_attempts(s)) return TULLE_OK;
        if (!tulle__shared_choose_precond(s, why)) return TULLE_OK;
    }
}

/* Returns the options of an attempt, less what has been used; alike in all processes. */
static tulle_solver_options options_of(const tulle__shared *s, double seconds) {
    static const double least = 1e-6;
    tulle_solver_options o = s->options->solver;
    o.method = s->way.method;
    o.restart = s->way.restart;
    o.single_A = o.single_M = NULL;
    o.guess = true;
    if (o.max_seconds > 0) o.max_seconds = fmax(o.max_seconds - seconds, least);
    tulle__attempt_limit(s->report, s->options, s->way.trial, &o);
    return o;
}

static tulle_status iterate(const tulle__shared *s, const tulle__parts *parts, double seconds,
                            tulle_solver_report *report) {
    const tulle_solver_options options = options_of(s, seconds);
    const double start = tulle__seconds();
    tulle_solver *S = NULL;
    TULLE__TRY(tulle_vec_copy(s->ctx, s->best, s->x));
    tulle_status status = tulle_solver_create(s->ctx, parts->L, parts->M, &options, &S);
    s->report->create_ms += tulle__ms_since(start);
    if (status == TULLE_OK) status = tulle_solver_run(s->ctx, S, s->b, s->x, report);
    if (status == TULLE_OK) status = tulle__columns_take(S, s->column);
    tulle_solver_destroy(S);
    return status;
}

/* Judges an attempt by its norms, and keeps the x of each right-hand side where that is the best so
 * far. */
static tulle_status judge(tulle__shared *s, const tulle__parts *parts,
                          const tulle_solver_report *solver) {
    const bool is_first = s->report->used < 0;
    const bool preconditioned = s->options->solver.norm == TULLE_PRECONDITIONED_NORM;
    const int64_t columns = s->b->cols;
    bool any = columns == 0;
    s->x_is_best = true;
    for (int64_t j = 0; j < columns; j++) {
        tulle__column_judge(s->column + j, is_first || preconditioned);
        any = any || s->column[j].x_is_best;
        s->x_is_best = s->x_is_best && s->column[j].x_is_best;
    }
    if (is_first || any) tulle__attempt_note(s->report, &s->way, parts, s->options, solver);
    return tulle__columns_copy(s->ctx, s->column, columns, true, s->x, s->best);
}

static tulle_status attempt(tulle__shared *s, const tulle__parts *parts, double seconds) {
    tulle_solver_report solver = {.iterations = 0};
    const double start = tulle__seconds();
    TULLE__TRY(iterate(s, parts, seconds, &solver));
    TULLE__TRY(judge(s, parts, &solver));
    tulle_solve_attempt *a = last(s);
    a->ms += tulle__ms_since(start);
    a->made = true;
    a->outcome = solver.outcome;
    a->iterations = solver.iterations;
    a->norm = solver.norm;
    return TULLE_OK;
}

/* True if nothing that an attempt ended with forbids another one. *ends: the limit that does. */
static bool may_go_on(const tulle__shared *s, tulle_outcome *ends) {
    const tulle_outcome outcome = last(s)->outcome;
    const int64_t most = s->options->solver.max_iterations;
    const bool limited = most > 0 && tulle__attempts_iterations(s->report) >= most;
    *ends = limited ? TULLE_MOST_ITERATIONS : outcome;
    if (outcome == TULLE_CONVERGED || outcome == TULLE_STOPPED || outcome == TULLE_MOST_TIME)
        return false;
    return !limited && s->report->attempts < most_attempts(s);
}

/* Hands out the best x, with the norms of the right-hand side that is farthest from a solution. */
static tulle_status finish(const tulle__shared *s, tulle_outcome ends) {
    tulle_solver_report *solver = &s->report->solver;
    const bool limited =
        ends == TULLE_STOPPED || ends == TULLE_MOST_TIME || ends == TULLE_MOST_ITERATIONS;
    if (solver->outcome != TULLE_CONVERGED && limited) solver->outcome = ends;
    if (s->report->used < 0) { /* nothing has iterated */
        solver->outcome = TULLE_BROKE_DOWN;
        solver->norm = NAN;
        s->report->used = s->report->attempts - 1;
    } else {
        tulle__columns_report(s->column, s->b->cols, solver);
    }
    return s->x_is_best ? TULLE_OK : tulle_vec_copy(s->ctx, s->best, s->x);
}

static tulle_status attempt_all(tulle__shared *s) {
    tulle_outcome ends = TULLE_BROKE_DOWN;
    for (bool found = true; found;) {
        tulle__parts parts = {.A = NULL};
        bool made;
        hearing heard;
        tulle_status status = make_parts(s, &parts, &made, &heard);
        if (status == TULLE_OK && made) status = attempt(s, &parts, heard.seconds);
        tulle__parts_free(&parts);
        if (status != TULLE_OK) return status;
        found = made && may_go_on(s, &ends) && tulle__shared_choose_next(s, last(s)->outcome);
    }
    return finish(s, ends);
}

/* Keeps the x where the first attempt begins. */
static tulle_status take_start(tulle__shared *s) {
    const size_t columns = (size_t)(s->b->cols > 0 ? s->b->cols : 1);
    s->column = tulle__host_alloc(s->ctx, columns * sizeof *s->column);
    if (!s->column) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle_vec_create_columns(s->ctx, s->A->type, s->A->rows, s->b->cols,
                                        TULLE_COLUMN_MAJOR, 0, &s->best));
    if (s->options->solver.guess) return tulle_vec_copy(s->ctx, s->x, s->best);
    return tulle_vec_fill(s->ctx, s->best, 0);
}

tulle_status tulle__shared_go(tulle__shared *s) {
    const double start = tulle__seconds();
    if (s->method_open || s->precond_open) TULLE__TRY(tulle__shared_count(s));
    tulle__shared_choose(s);
    s->report->choose_ms = tulle__ms_since(start);
    const tulle_status status = take_start(s);
    TULLE__TRY(tulle__shared_agree(s, status));
    s->report->used = -1;
    return attempt_all(s);
}
