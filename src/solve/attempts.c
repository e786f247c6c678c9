/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/attempts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/stopwatch.h"
#include "dense/dense.h"
#include "operator/linop.h"
#include "solve/narrow.h"
#include "solve/pace.h"
#include "solver/solver.h"
#include "tulle/reorder.h"

static tulle_solve_attempt *last(const tulle__run *r) {
    return tulle__attempt_last(r->report);
}

static int most_attempts(const tulle__run *r) {
    return tulle__attempts_most(r->choice.options);
}

/* Makes a multivector as b and x are. */
static tulle_status make_columns(const tulle__run *r, tulle_vec **made) {
    return tulle_vec_create_columns(r->ctx, r->type, tulle_mat_rows(r->outer), r->columns,
                                    TULLE_COLUMN_MAJOR, 0, made);
}

/* The right-hand side of the system that is iterated with. */
static const tulle_vec *right_side(const tulle__run *r) {
    return r->turned_b ? r->turned_b : r->b;
}

/* Takes -A and -b for A and b. They stay where there is no memory for copies. */
static tulle_status negate(tulle__run *r) {
    tulle_mat *A = NULL;
    tulle_vec *b = NULL;
    tulle_status status = tulle__negated(r->ctx, r->rows, &A);
    if (status == TULLE_OK) status = make_columns(r, &b);
    if (status == TULLE_OK) {
        status = tulle_vec_axpby(r->ctx, tulle_num(-1), r->b, tulle_num(0), b);
    }
    if (status != TULLE_OK) {
        tulle_mat_destroy(A);
        tulle_vec_destroy(b);
        return status == TULLE_OUT_OF_MEMORY ? TULLE_OK : status;
    }
    tulle_mat_destroy(r->inner);
    tulle_mat_destroy(r->outer);
    tulle_mat_destroy(r->rows);
    r->rows = A;
    r->outer = tulle_mat_retain(A);
    r->inner = r->choice.A = tulle_mat_retain(A);
    r->turned_b = b;
    r->choice.negated = true;
    return TULLE_OK;
}

/* Replaces a matrix by that with its rows in another order; another name for the first one of the
 * pair becomes another name for its replacement. */
static tulle_status permute_one(tulle__run *r, const tulle_order *P, tulle_mat *first,
                                tulle_mat *made_of_first, tulle_mat *A, tulle_mat **made) {
    if (A != first) return tulle_mat_permute(r->ctx, A, P, NULL, made);
    *made = tulle_mat_retain(made_of_first);
    return TULLE_OK;
}

/* Puts the rows of A and b in an order. */
static tulle_status move_rows(tulle__run *r, const tulle_order *P) {
    tulle_mat *inner = NULL, *outer = NULL, *rows = NULL;
    tulle_vec *b = NULL;
    tulle_status status = tulle_mat_permute(r->ctx, r->inner, P, NULL, &inner);
    if (status == TULLE_OK) status = permute_one(r, P, r->inner, inner, r->outer, &outer);
    if (status == TULLE_OK) status = permute_one(r, P, r->outer, outer, r->rows, &rows);
    if (status == TULLE_OK) status = make_columns(r, &b);
    if (status == TULLE_OK) status = tulle_vec_permute(r->ctx, P, right_side(r), b);
    if (status != TULLE_OK) {
        tulle_mat_destroy(inner);
        tulle_mat_destroy(outer);
        tulle_mat_destroy(rows);
        tulle_vec_destroy(b);
        return status;
    }
    tulle_mat_destroy(r->inner);
    tulle_mat_destroy(r->outer);
    tulle_mat_destroy(r->rows);
    r->inner = r->choice.A = inner;
    r->outer = outer;
    r->rows = rows;
    tulle_vec_destroy(r->turned_b);
    r->turned_b = b;
    return TULLE_OK;
}

/* Puts the rows of A and b in the order that brings large entries to the diagonal. */
static tulle_status permute(tulle__run *r) {
    int64_t matched = 0;
    r->choice.permute = false;
    tulle_status status = tulle_order_diagonal(r->ctx, r->inner, &r->order, &matched);
    if (status == TULLE_OK) status = move_rows(r, r->order);
    r->choice.permuted = status == TULLE_OK;
    return status;
}

/* Puts the rows of A and b back in the order in which they came. */
static tulle_status restore(tulle__run *r) {
    const int64_t n = tulle_mat_rows(r->outer);
    const size_t bytes = (size_t)(n > 0 ? n : 1) * sizeof(int64_t);
    int64_t *at = tulle__host_alloc(r->ctx, bytes), *back = tulle__host_alloc(r->ctx, bytes);
    tulle_order *P = NULL;
    tulle_status status = at && back ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    r->choice.restore = false;
    if (status == TULLE_OK) status = tulle_order_read(r->ctx, r->order, at);
    if (status == TULLE_OK) {
        for (int64_t i = 0; i < n; i++) back[at[i]] = i;
        status = tulle_order_create(r->ctx, n, back, &P);
    }
    if (status == TULLE_OK) status = move_rows(r, P);
    if (status == TULLE_OK) r->choice.permuted = false;
    tulle_order_destroy(P);
    tulle__host_free(r->ctx, at);
    tulle__host_free(r->ctx, back);
    return status;
}

static bool lacks_room(tulle_status status) {
    return status == TULLE_OUT_OF_MEMORY || status == TULLE_TOO_LARGE;
}

/* Says why parts that were chosen could not be made; false: the failure is the caller's. */
static bool excuse(const tulle__run *r, tulle_status status, char why[TULLE_WHY]) {
    const tulle__precond_kind kind = r->choice.way.precond.kind;
    const tulle_error *error = tulle_last_error();
    if (!r->choice.precond_open) return false;
    if (status == TULLE_ZERO_PIVOT && kind == TULLE__BLOCK_JACOBI) {
        snprintf(why, TULLE_WHY, "a block of its diagonal is singular");
    } else if (status == TULLE_ZERO_PIVOT) {
        snprintf(why, TULLE_WHY, "%s has no %s pivot in row %lld", tulle__precond_title(&r->choice),
                 kind == TULLE__IC ? "positive" : "nonzero", (long long)error->row);
    } else if (status == TULLE_UNSUPPORTED || lacks_room(status)) {
        snprintf(why, TULLE_WHY, "%s cannot be made: %.160s", tulle__precond_title(&r->choice),
                 error->message);
    } else {
        return false;
    }
    return true;
}

/* A hierarchy that stalls or grows from level to level is of no use. */
static const double most_complexity = 4;

static bool is_poor(const tulle__parts *parts) {
    return parts->hierarchy.stalled || parts->hierarchy.operator_complexity > most_complexity;
}

/* Says why parts that were made and chosen are of no use; false: they are of use. */
static bool judge_parts(const tulle__run *r, const tulle__parts *parts, double growth,
                        char why[TULLE_WHY]) {
    if (tulle__parts_grow(parts, growth)) {
        snprintf(why, TULLE_WHY, "solving with %s is not stable: it grows to %.3g",
                 tulle__precond_title(&r->choice), growth);
        return true;
    }
    if (!r->choice.precond_open || !is_poor(parts)) return false;
    snprintf(why, TULLE_WHY, "multigrid's hierarchy %s",
             parts->hierarchy.stalled ? "stalls above the size that is solved"
                                      : "has more than four times the entries of A");
    return true;
}

/* Makes the parts of the way that is chosen, and measures what solving with factors that were
 * chosen does to a vector. */
static tulle_status make_once(tulle__run *r, tulle__parts *parts, double *growth) {
    const tulle__choice *c = &r->choice;
    const bool mixed = c->options->mixed;
    *growth = 0;
    if (c->permute) TULLE__TRY(permute(r));
    if (c->restore) TULLE__TRY(restore(r));
    last(r)->permuted = c->permuted;
    TULLE__TRY(tulle__parts_make(r->ctx, r->inner, mixed ? r->inner : r->rows, c->options->instead,
                                 &c->way, c->options, parts));
    if (!parts->F || !c->precond_open) return TULLE_OK;
    const tulle_status status = tulle__parts_growth(r->ctx, parts, growth);
    if (status != TULLE_OK) tulle__parts_free(parts);
    return status;
}

/* Counts the search for an order as a part of making the factors that have that order. */
static void move_order_time(tulle__run *r) {
    tulle__choice *c = &r->choice;
    if (!c->way.order || c->way.precond.kind != TULLE__COMPLETE) return;
    r->report->choose_ms -= c->order_ms;
    r->report->precond_ms += c->order_ms;
    last(r)->ms += c->order_ms;
    c->order_ms = 0;
}

/* Makes the parts of the way that is chosen, or of another that the facts allow. Where none can be
 * made parts->L is NULL, and r->end says so where a limit is the reason. */
static tulle_status make_parts(tulle__run *r, tulle__parts *parts) {
    tulle__choice *c = &r->choice;
    for (;;) {
        char why[TULLE_WHY];
        double growth;
        tulle__attempt_begin(r->report, &c->way);
        const double start = tulle__seconds();
        tulle__limits_watch(&r->limits);
        const tulle_status status = make_once(r, parts, &growth);
        tulle__limits_rest(&r->limits);
        last(r)->ms = tulle__ms_since(start);
        const bool of_use = status == TULLE_OK && !judge_parts(r, parts, growth, why);
        if (of_use) {
            r->report->precond_ms += last(r)->ms - parts->convert_ms;
            move_order_time(r);
            return TULLE_OK;
        }
        r->report->precond_ms += last(r)->ms;
        move_order_time(r);
        if (status == TULLE_CANCELLED && r->limits.over) {
            r->end = TULLE_MOST_TIME;
            return TULLE_OK;
        }
        if (status == TULLE_OK) {
            tulle__parts_free(parts);
        } else if (!excuse(r, status, why)) {
            return status;
        } else {
            last(r)->row = tulle_last_error()->row;
        }
        if (tulle__limits_reached(&r->limits)) r->end = TULLE_MOST_TIME;
        const bool ends = r->end != TULLE_CONVERGED || r->report->attempts >= most_attempts(r);
        if (ends || !tulle__choose_other_precond(c, why)) {
            return lacks_room(status) && !r->iterated ? status : TULLE_OK;
        }
    }
}

/* Makes what tests the solution in mixed precision: A in f64, and a preconditioner where it has a
 * part in the norm. */
static tulle_status make_outer(tulle__run *r, const tulle__parts *inner,
                               tulle_solver_options *options, tulle__parts *outer) {
    tulle__way way = r->choice.way;
    if (options->norm != TULLE_PRECONDITIONED_NORM) {
        way.precond = (tulle__precond){.kind = TULLE__NO_PRECOND};
    }
    options->single_A = inner->L;
    options->single_M = inner->M;
    options->single_scale = r->scale;
    return tulle__parts_make(r->ctx, r->outer, r->rows, NULL, &way, r->choice.options, outer);
}

/* Takes what has been used off the limits, which hold for all attempts together. */
static void set_limits(const tulle__run *r, tulle_solver_options *o) {
    if (o->max_seconds > 0 && o->max_seconds < INFINITY) {
        o->max_seconds = tulle__limits_left(&r->limits);
    }
    tulle__attempt_limit(r->report, r->choice.options, r->choice.way.trial, o);
}

/* True if the norms of the first iterations may end an attempt. The last attempt goes on. Norms of
 * several right-hand sides are told in turn, and do not compare. A GPU counts iterations behind the
 * decision, so that the caller's limit would depend on the time. */
static bool is_judged_early(const tulle__run *r) {
    const bool limited = r->choice.options->solver.max_iterations > 0;
    const bool on_cpu = r->choice.info.backend == TULLE_CPU;
    if (r->columns != 1 || r->report->attempts >= most_attempts(r)) return false;
    return on_cpu || !limited;
}

/* Returns the share of the norm at the start that is a solution, or 0 where that is not known: an x
 * at the start may be any number of digits ahead of 0. */
static double share_of_solution(const tulle__run *r) {
    const tulle_solver_options *o = &r->choice.options->solver;
    if (r->best || o->absolute > 0 || o->norm == TULLE_PRECONDITIONED_NORM) return 0;
    return o->tolerance > 0 ? o->tolerance : r->type == TULLE_F32 ? 1e-5 : 1e-8;
}

static tulle_status iterate(tulle__run *r, const tulle__parts *parts, tulle_solver_options *options,
                            tulle_solver_report *report) {
    const tulle_vec *b = right_side(r);
    const double start = tulle__seconds();
    tulle_solver *S = NULL;
    tulle_status status = tulle_solver_create(r->ctx, parts->L, parts->M, options, &S);
    r->report->create_ms += tulle__ms_since(start);
    if (status == TULLE_OK) status = tulle_solver_run(r->ctx, S, b, r->x, report);
    if (status == TULLE_OK) status = tulle__columns_take(S, r->column);
    tulle_solver_destroy(S);
    return status;
}

static void note(tulle__run *r, const tulle__parts *parts, const tulle_solver_report *report) {
    const tulle__choice *c = &r->choice;
    tulle_solve_report *to = r->report;
    tulle__attempt_note(to, &c->way, parts, c->options, report);
    to->permuted = c->permuted;
    to->solved = parts->info;
    memcpy(to->method_why, c->method_why, sizeof to->method_why);
    memcpy(to->precond_why, c->precond_why, sizeof to->precond_why);
    memcpy(to->format_why, c->format_why, sizeof to->format_why);
}

/* Finds out whether an attempt has left the best x of a right-hand side. */
static void judge_column(const tulle__run *r, bool slow, tulle__column_state *c) {
    const bool preconditioned = r->choice.options->solver.norm == TULLE_PRECONDITIONED_NORM;
    const double before = c->best_norm;
    tulle__column_judge(c, !r->iterated || preconditioned);
    if (!slow || c->report.outcome != TULLE_STOPPED) return;
    c->report.outcome = TULLE_MOST_ITERATIONS;
    if (r->choice.info.backend == TULLE_CPU || !c->x_is_best) return;
    c->x_is_best = false;
    c->best_norm = r->iterated && !preconditioned ? before : c->report.start_norm;
}

/* Judges an attempt, and notes it where it has left the best x of any right-hand side. Until an
 * attempt is no worse than the start the last one is noted, with the norm of the start. One that
 * was ended as too slow leaves no x on a GPU, where x depends on the time. */
static void judge(tulle__run *r, const tulle__parts *parts, bool slow,
                  const tulle_solver_report *report) {
    bool any = r->columns == 0;
    r->x_is_best = true;
    for (int64_t j = 0; j < r->columns; j++) {
        judge_column(r, slow, r->column + j);
        any = any || r->column[j].x_is_best;
        r->x_is_best = r->x_is_best && r->column[j].x_is_best;
    }
    r->iterated = true;
    if (!any && r->improved) return;
    r->improved = any;
    note(r, parts, report);
    tulle__columns_report(r->column, r->columns, &r->report->solver);
}

/* True if a number of A or of this right-hand side is Inf or NaN, so that no method finds any x. */
static bool lacks_numbers(const tulle__run *r, const tulle__column_state *c) {
    return r->choice.facts.not_finite > 0 || !isfinite(c->best_norm);
}

/* True if another attempt may solve for the right-hand side. */
static bool is_open(const tulle__run *r, const tulle__column_state *c) {
    const tulle_outcome outcome = c->report.outcome;
    if (outcome == TULLE_CONVERGED) return false;
    return outcome != TULLE_NOT_A_NUMBER || !lacks_numbers(r, c);
}

/* Returns the outcome of an attempt for the first right-hand side that another one may solve for,
 * or that of all where there is none. */
static tulle_outcome outcome_of(const tulle__run *r, tulle_outcome all) {
    for (int64_t j = 0; j < r->columns; j++) {
        if (is_open(r, r->column + j)) return r->column[j].report.outcome;
    }
    return all;
}

/* Iterates with the parts, from the best x so far; notes the attempt whose x is the best. */
static tulle_status attempt(tulle__run *r, const tulle__parts *parts) {
    tulle_solver_options options = r->choice.options->solver;
    tulle_solver_report report = {.iterations = 0};
    tulle__pace pace;
    tulle__parts outer = {.A = NULL};
    const double start = tulle__seconds();
    tulle_status status = TULLE_OK;
    options.method = r->choice.way.method;
    options.restart = r->choice.way.restart;
    options.single_A = options.single_M = NULL;
    set_limits(r, &options);
    const bool early = is_judged_early(r);
    const tulle__way *way = &r->choice.way;
    tulle__pace_begin(&pace, early ? way->slowest : 0, early ? way->stall : 0, &options);
    if (way->method == TULLE_CG) tulle__pace_foretell(&pace, share_of_solution(r));
    options.guess = r->best != NULL;
    if (r->best) status = tulle_vec_copy(r->ctx, r->best, r->x);
    const bool mixed = r->choice.options->mixed;
    if (status == TULLE_OK && mixed) status = make_outer(r, parts, &options, &outer);
    if (status == TULLE_OK) status = iterate(r, mixed ? &outer : parts, &options, &report);
    tulle__parts_free(&outer);
    tulle_solve_attempt *a = last(r);
    a->ms += tulle__ms_since(start);
    if (lacks_room(status) && r->iterated) { /* the best x so far is an answer */
        r->x_is_best = false;
        for (int64_t j = 0; j < r->columns; j++) r->column[j].x_is_best = false;
        return TULLE_OK;
    }
    if (status != TULLE_OK) return status;
    const bool ended = pace.slow || pace.stalled || pace.late;
    if (ended && report.outcome == TULLE_STOPPED) report.outcome = TULLE_MOST_ITERATIONS;
    r->choice.slow = pace.slow ? pace.factor : 0;
    r->choice.stalled = pace.stalled;
    r->choice.late = pace.late;
    judge(r, parts, ended, &report);
    a->made = true;
    a->outcome = outcome_of(r, report.outcome);
    a->iterations = report.iterations;
    a->norm = report.norm;
    return TULLE_OK;
}

/* Reports the x where attempts begin, or one as good: nothing could be made, or no time was left.
 * Norms come from one iteration of a method without a preconditioner. */
static tulle_status leave_start(tulle__run *r) {
    static const double no_time = 1e-9;
    tulle_solver_options options = r->choice.options->solver;
    tulle_solver_report report = {.iterations = 0};
    const tulle__way bare = {.method = TULLE_CG, .precond = {.kind = TULLE__NO_PRECOND}};
    tulle__parts parts;
    if (r->end == TULLE_CONVERGED) r->end = TULLE_BROKE_DOWN;
    options.method = TULLE_CG;
    options.single_A = options.single_M = NULL;
    options.max_seconds = no_time;
    options.max_iterations = 1;
    TULLE__TRY(tulle__parts_make(r->ctx, r->outer, r->rows, r->choice.options->instead, &bare,
                                 r->choice.options, &parts));
    const tulle_status status = iterate(r, &parts, &options, &report);
    if (status == TULLE_OK) judge(r, &parts, false, &report);
    tulle__parts_free(&parts);
    return status;
}

/* Keeps the best x for the next attempt; false: there is no memory for that. */
static bool keep(tulle__run *r) {
    bool any = false;
    for (int64_t j = 0; j < r->columns; j++) any = any || r->column[j].x_is_best;
    if (!any) return true;
    if (!r->best) {
        if (make_columns(r, &r->best) != TULLE_OK) return false;
        if (tulle_vec_fill(r->ctx, r->best, 0) != TULLE_OK) return false;
    }
    return tulle__columns_copy(r->ctx, r->column, r->columns, true, r->x, r->best) == TULLE_OK;
}

/* True if nothing that an attempt ended with forbids another one. */
static bool may_go_on(tulle__run *r) {
    const int64_t most = r->choice.options->solver.max_iterations;
    const bool limited = most > 0 && tulle__attempts_iterations(r->report) >= most;
    const tulle_solve_attempt *a = last(r);
    if (!a->made || a->outcome == TULLE_CONVERGED) return false;
    for (int64_t j = 0; j < r->columns; j++) {
        if (r->column[j].report.outcome == TULLE_STOPPED) {
            r->end = TULLE_STOPPED;
            return false;
        }
    }
    if (a->outcome == TULLE_STOPPED || a->outcome == TULLE_MOST_TIME ||
        (a->outcome == TULLE_MOST_ITERATIONS && limited)) {
        r->end = a->outcome;
        return false;
    }
    if (r->report->attempts >= most_attempts(r)) return false;
    for (int64_t j = 0; j < r->columns; j++) {
        if (is_open(r, r->column + j)) return true;
    }
    return false;
}

/* True if the caller's limits leave room for another attempt. */
static bool is_allowed(tulle__run *r) {
    const int64_t most = r->choice.options->solver.max_iterations;
    if (most > 0 && tulle__attempts_iterations(r->report) >= most) r->end = TULLE_MOST_ITERATIONS;
    if (tulle__limits_reached(&r->limits)) r->end = TULLE_MOST_TIME;
    return r->end == TULLE_CONVERGED;
}

/* True if a limit, or the lack of a way, is why there is no solution: the right-hand side whose
 * outcome is reported, the first one that is not solved, has numbers alone. */
static bool ended_by_limit(const tulle__run *r) {
    if (r->end == TULLE_CONVERGED) return false;
    for (int64_t j = 0; j < r->columns; j++) {
        const tulle__column_state *c = r->column + j;
        if (c->report.outcome != TULLE_CONVERGED) return !lacks_numbers(r, c);
    }
    return false;
}

/* Hands out the best x, and the reason why nothing followed it. */
static tulle_status finish(tulle__run *r) {
    if (ended_by_limit(r)) r->report->solver.outcome = r->end;
    if (r->x_is_best) return TULLE_OK;
    if (r->best) return tulle__columns_copy(r->ctx, r->column, r->columns, false, r->best, r->x);
    for (int64_t j = 0; j < r->columns; j++) {
        tulle_vec x = tulle__column_of(r->x, j);
        if (!r->column[j].x_is_best) TULLE__TRY(tulle_vec_fill(r->ctx, &x, 0));
    }
    return TULLE_OK;
}

/* Keeps the caller's guess as the best x so far, because no attempt has been made yet. */
static tulle_status take_guess(tulle__run *r) {
    if (!r->choice.options->solver.guess) return TULLE_OK;
    TULLE__TRY(make_columns(r, &r->best));
    return tulle_vec_copy(r->ctx, r->x, r->best);
}

static tulle_status attempt_all(tulle__run *r) {
    for (bool found = true; found;) {
        tulle__parts parts = {.A = NULL};
        tulle_status status = make_parts(r, &parts);
        r->report->convert_ms += parts.convert_ms;
        if (status == TULLE_OK && !parts.L) return r->iterated ? TULLE_OK : leave_start(r);
        if (status == TULLE_OK) status = attempt(r, &parts);
        tulle__parts_free(&parts);
        if (status != TULLE_OK) return status;
        if (!may_go_on(r) || !keep(r)) return TULLE_OK;
        const double start = tulle__seconds();
        TULLE__TRY(tulle__choose_next(&r->choice, last(r)->outcome, &found));
        r->report->choose_ms += tulle__ms_since(start);
        found = found && is_allowed(r);
    }
    return TULLE_OK;
}

tulle_status tulle__attempts_go(tulle__run *r) {
    const double start = tulle__seconds();
    const size_t columns = (size_t)(r->columns > 0 ? r->columns : 1);
    r->column = tulle__host_alloc(r->ctx, columns * sizeof *r->column);
    if (!r->column) return TULLE_OUT_OF_MEMORY;
    r->choice.sign_open = r->rows == r->outer;
    TULLE__TRY(tulle__choose(&r->choice));
    r->report->facts = r->choice.facts;
    if (r->choice.negate) {
        TULLE__TRY(negate(r));
        r->choice.sign_open = false;
        TULLE__TRY(tulle__choose(&r->choice));
    }
    r->report->choose_ms = tulle__ms_since(start);
    TULLE__TRY(take_guess(r));
    TULLE__TRY(attempt_all(r));
    return finish(r);
}
