/* SPDX-License-Identifier: Apache-2.0 */
/* Several right-hand sides: the solver that has a member for each, and the reports of all. */
#include "core/stopwatch.h"
#include "solver/solver.h"

/* Largest number of right-hand sides that are solved at once. One product for all reads A once;
 * with so many, A's share of what is read is small, and more would only take more memory. */
enum { MOST_AT_ONCE = 32 };

/* Makes `m` the member of right-hand side j. It borrows everything but its scratch on the host and
 * its part of the method's memory. */
static void make_member(const tulle_solver *S, int j, tulle_solver *m) {
    const int64_t size = tulle_type_size(S->type);
    *m = *S;
    m->columns = m->most_columns = 1;
    m->members = NULL;
    m->graphs = NULL;
    m->room = NULL;
    m->room_numbers = 0;
    for (int v = 0; v < S->count; v++) {
        m->vector[v].cols = 1;
        m->vector[v].data = (char *)S->vector[v].data + j * S->length * size;
    }
    m->scalars = S->scalars + j;
    m->sums = S->sums + j * tulle__solver_sums_step(S);
}

tulle_status tulle__solver_make_members(tulle_solver *S) {
    const size_t count = (size_t)S->most_columns;
    tulle_solver *members = tulle__host_alloc(S->ctx, count * sizeof *members);
    if (!members) return TULLE_OUT_OF_MEMORY;
    for (int j = 0; j < S->most_columns; j++) make_member(S, j, members + j);
    S->members = members;
    return TULLE_OK;
}

/* Makes the solver of several right-hand sides, unless there is one that has room for so many. */
static tulle_status take_several(tulle_solver *S, int columns) {
    tulle_solver_options o = S->options;
    if (S->several && S->several->most_columns >= columns) return TULLE_OK;
    tulle_solver_destroy(S->several);
    S->several = NULL;
    if (!o.constant_null_space) o.null_space = S->null_space;
    return tulle__solver_make(S->ctx, S->A, S->M, &o, tulle__method_of(o.method), columns,
                              &S->several);
}

/* Sets the number of right-hand sides of the next solution. Graphs are of a fixed number. */
static void set_columns(tulle_solver *S, int columns) {
    if (S->columns == columns) return;
    tulle__solver_forget_graphs(S);
    S->columns = columns;
    for (int v = 0; v < S->count; v++) S->vector[v].cols = columns;
}

/* Takes the right-hand side and the guess of a member. A and M count in the same units in all
 * members, as they are applied to all vectors at once: those that the first b with numbers other
 * than 0 finds. */
static tulle_status take_member(tulle_solver *S, int j, const tulle_vec *B, const tulle_vec *X,
                                int64_t at) {
    tulle_solver *m = tulle__member(S, j);
    const tulle_vec b = tulle__column_of(B, at);
    m->lowest = S->lowest;
    m->highest = S->highest;
    m->units = S->units;
    m->column_of_x = tulle__column_of(X, at);
    tulle__solver_reset(m, S->started);
    TULLE__TRY(tulle__solver_take(m, &b, &m->column_of_x));
    if (m->units.known) S->units = m->units;
    return TULLE_OK;
}

static tulle_status give_member(tulle_solver *S, int j, tulle_solver_report *report) {
    tulle_solver *m = tulle__member(S, j);
    TULLE__TRY(tulle__solver_give(m, &m->column_of_x));
    if (!m->units.known) S->units.known = false;
    m->report.products += S->report.products;
    m->report.preconditions += S->report.preconditions;
    tulle__solver_tell(m);
    *report = m->report;
    return TULLE_OK;
}

/* Solves for the columns from `first` on, as many as S has now. */
static tulle_status solve_columns(tulle_solver *S, const tulle_vec *B, tulle_vec *X, int64_t first,
                                  tulle_solver_report *reports) {
    if (S->method->renew) TULLE__TRY(S->method->renew(S));
    for (int j = 0; j < S->columns; j++) TULLE__TRY(take_member(S, j, B, X, first + j));
    TULLE__TRY(tulle__solver_rounds(S));
    for (int j = 0; j < S->columns; j++) TULLE__TRY(give_member(S, j, reports + first + j));
    return tulle_ctx_synchronize(S->ctx);
}

static tulle_status solve_at_once(tulle_solver *S, const tulle_vec *B, tulle_vec *X) {
    const int64_t groups = (B->cols + MOST_AT_ONCE - 1) / MOST_AT_ONCE;
    const int most = (int)((B->cols + groups - 1) / groups);
    TULLE__TRY(take_several(S, most));
    for (int64_t first = 0; first < B->cols; first += most) {
        const int64_t rest = B->cols - first;
        set_columns(S->several, rest < most ? (int)rest : most);
        tulle__solver_reset(S->several, S->started);
        S->several->stopped = S->stopped;
        TULLE__TRY(solve_columns(S->several, B, X, first, S->reports));
        S->stopped = S->several->stopped;
        if (S->report.setup_ms == 0) S->report.setup_ms = S->several->report.setup_ms;
    }
    return TULLE_OK;
}

static tulle_status solve_in_turn(tulle_solver *S, const tulle_vec *B, tulle_vec *X) {
    const double started = S->started;
    double setup = 0;
    for (int64_t j = 0; j < B->cols; j++) {
        const tulle_vec b = tulle__column_of(B, j);
        tulle_vec x = tulle__column_of(X, j);
        TULLE__TRY(tulle__solver_run_one(S, started, &b, &x));
        S->reports[j] = S->report;
        if (j == 0) setup = S->report.setup_ms;
    }
    S->report.setup_ms = setup;
    return TULLE_OK;
}

static tulle_status take_reports(tulle_solver *S, int64_t columns) {
    S->report_count = 0;
    if (columns > S->most_reports) {
        tulle__host_free(S->ctx, S->reports);
        S->most_reports = 0;
        S->reports = tulle__host_alloc(S->ctx, (size_t)columns * sizeof *S->reports);
        if (!S->reports) return TULLE_OUT_OF_MEMORY;
        S->most_reports = columns;
    }
    for (int64_t j = 0; j < columns; j++) {
        S->reports[j] = (tulle_solver_report){.outcome = TULLE_CONVERGED};
    }
    return TULLE_OK;
}

static double excess(const tulle_solver_report *r) {
    return tulle__excess(r->norm, r->limit);
}

/* Returns one report for all right-hand sides: the outcome of the first one without a solution, the
 * norms of the one that is farthest from its limit, and the largest counts of any. */
static tulle_solver_report sum_up(const tulle_solver_report *reports, int64_t columns) {
    tulle_solver_report all = {.outcome = TULLE_CONVERGED};
    const tulle_solver_report *worst = NULL;
    for (int64_t j = 0; j < columns; j++) {
        const tulle_solver_report *r = reports + j;
        if (all.outcome == TULLE_CONVERGED) all.outcome = r->outcome;
        if (!worst || excess(r) > excess(worst)) worst = r;
        if (r->iterations > all.iterations) all.iterations = r->iterations;
        if (r->begun_anew > all.begun_anew) all.begun_anew = r->begun_anew;
        if (r->products > all.products) all.products = r->products;
        if (r->preconditions > all.preconditions) all.preconditions = r->preconditions;
    }
    if (!worst) return all;
    all.start_norm = worst->start_norm;
    all.norm = worst->norm;
    all.limit = worst->limit;
    return all;
}

tulle_status tulle__solver_run_several(tulle_solver *S, const tulle_vec *B, tulle_vec *X) {
    const bool in_turn = S->inner || tulle__is_shared(S);
    TULLE__TRY(take_reports(S, B->cols));
    tulle__solver_reset(S, tulle__seconds());
    if (B->cols > 0 && !tulle__is_empty(S)) {
        TULLE__TRY(in_turn ? solve_in_turn(S, B, X) : solve_at_once(S, B, X));
    }
    const double setup = S->report.setup_ms, all = 1e3 * (tulle__seconds() - S->started);
    S->report = sum_up(S->reports, B->cols);
    S->report.setup_ms = setup > 0 ? setup : all;
    S->report.solve_ms = all - S->report.setup_ms;
    for (int64_t j = 0; j < B->cols; j++) {
        S->reports[j].setup_ms = S->report.setup_ms;
        S->reports[j].solve_ms = S->report.solve_ms;
    }
    S->report_count = B->cols;
    return TULLE_OK;
}

tulle_status tulle_solver_reports(const tulle_solver *S, const tulle_solver_report **reports,
                                  int64_t *columns) {
    TULLE__NEED(S);
    TULLE__NEED(reports);
    TULLE__NEED(columns);
    *reports = S->report_count == 1 ? &S->report : S->reports;
    *columns = S->report_count;
    return TULLE_OK;
}
