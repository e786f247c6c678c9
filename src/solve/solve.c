/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/error.h"
#include "core/options.h"
#include "core/stopwatch.h"
#include "matrix/facts.h"
#include "solve/choice.h"
#include "solve/narrow.h"
#include "tulle/reorder.h"
#include "vector/operands.h"

/* A system under way. */
typedef struct run {
    tulle_ctx *ctx;
    const tulle_vec *b;
    tulle_vec *x;
    tulle_vec *turned_b; /* b in the order of permuted rows; NULL: rows are where they were */
    tulle_mat *outer;    /* A in CSR, or in a format that is kept */
    tulle_mat *inner;    /* outer; in mixed precision `scale` times outer, in f32 */
    double scale;
    tulle__choice choice;
    tulle_vec *best;  /* copy of the best x of attempts before; NULL: there is none */
    double best_norm; /* tested norm of b - A best */
    double last_norm; /* tested norm of b - A x after the last attempt that iterated */
    bool iterated;    /* an attempt has left an x */
    tulle_type type;  /* of b and x */
    tulle_solve_report *report;
} run;

static double ms_since(double start) {
    return 1e3 * (tulle__seconds() - start);
}

static tulle_status find_method(const char *name, tulle_method *method) {
    for (int m = 0; m < TULLE_METHOD_COUNT; m++) {
        *method = (tulle_method)m;
        if (strcmp(name, tulle_method_name(*method)) == 0) return TULLE_OK;
    }
    return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_solve", "options", -1,
                       "method: '%s' is none of cg, bicgstab, gmres, chebyshev, minres, fgmres",
                       name);
}

static tulle_status take_options(run *r, const tulle_solve_options *o, const tulle_mat_info *info) {
    static const char *const function = "tulle_solve";
    tulle__choice *c = &r->choice;
    c->options = o;
    c->method_open = !o->method;
    c->precond_open = !o->precond;
    if (o->method) TULLE__TRY(find_method(o->method, &c->given.method));
    if (o->precond) TULLE__TRY(tulle__precond_parse(function, o->precond, &c->given.precond));
    if (!(o->shift >= 0)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "shift: %g is not 0 or more", o->shift);
    }
    if (o->max_attempts < 0 || o->max_attempts > TULLE_MOST_ATTEMPTS) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "max_attempts: %d is not from 0 to %d", o->max_attempts,
                           TULLE_MOST_ATTEMPTS);
    }
    if (o->solver.sum) {
        return tulle__fail(
            TULLE_UNSUPPORTED, function, "options", -1,
            "solver.sum: of a system in several processes no process knows all of A: "
            "use tulle_solver_create");
    }
    if (o->mixed && (info->type != TULLE_F64 || o->instead)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "mixed: A must be in f64, and nothing may stand instead of it");
    }
    return TULLE_OK;
}

static tulle_status check(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *b, const tulle_vec *x,
                          const tulle_mat_info *info) {
    static const char *const function = "tulle_solve";
    const tulle__operand operand_b = {"b", b}, operand_x = {"x", x};
    if (tulle_mat_context(A) != ctx) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "A", -1, "A belongs to another context");
    }
    if (info->rows != info->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1, "A is not square: %lld x %lld",
                           (long long)info->rows, (long long)info->cols);
    }
    TULLE__TRY(tulle__operand_check(function, ctx, operand_b, info->rows, 1, info->type));
    TULLE__TRY(tulle__operand_check(function, ctx, operand_x, info->rows, 1, info->type));
    if (b == x || (info->rows > 0 && tulle__same_numbers(b, x))) {
        return tulle__fail(TULLE_ALIASED, function, "x", -1, "x and b are the same array");
    }
    return tulle__operand_apart(function, operand_x, operand_b);
}

/* Formats of which neither factors nor good products are made become CSR. */
static tulle_status prepare_matrix(run *r, tulle_mat *A, const tulle_mat_info *info) {
    const tulle_format f = info->format;
    const bool convert =
        !r->choice.options->keep_format && (f == TULLE_COO || f == TULLE_CSC || f == TULLE_DCSR);
    const double start = tulle__seconds();
    if (!convert) {
        r->outer = tulle_mat_retain(A);
        return TULLE_OK;
    }
    const tulle_status status = tulle_mat_convert(r->ctx, A, TULLE_CSR, info->index, 0, &r->outer);
    r->report->convert_ms += ms_since(start);
    return status;
}

static tulle_status prepare_inner(run *r) {
    tulle_facts largest;
    const double start = tulle__seconds();
    r->scale = 1;
    if (!r->choice.options->mixed) {
        r->inner = tulle_mat_retain(r->outer);
        return TULLE_OK;
    }
    tulle_status status = tulle__mat_facts(r->ctx, r->outer, false, &largest);
    if (status == TULLE_OK) {
        status = tulle__narrow(r->ctx, r->outer, &largest, &r->inner, &r->scale);
    }
    r->report->convert_ms += ms_since(start);
    return status;
}

/* Puts the rows of A and b in the order that brings large entries to the diagonal. */
static tulle_status permute(run *r) {
    tulle_order *P = NULL;
    tulle_mat *inner = NULL, *outer = NULL;
    int64_t matched = 0;
    tulle_status status = tulle_order_diagonal(r->ctx, r->inner, &P, &matched);
    if (status == TULLE_OK) status = tulle_mat_permute(r->ctx, r->inner, P, NULL, &inner);
    if (status == TULLE_OK && r->outer == r->inner) outer = tulle_mat_retain(inner);
    if (status == TULLE_OK && !outer) {
        status = tulle_mat_permute(r->ctx, r->outer, P, NULL, &outer);
    }
    if (status == TULLE_OK) {
        status = tulle_vec_create(r->ctx, r->type, tulle_mat_rows(outer), &r->turned_b);
    }
    if (status == TULLE_OK) status = tulle_vec_permute(r->ctx, P, r->b, r->turned_b);
    tulle_order_destroy(P);
    if (status != TULLE_OK) {
        tulle_mat_destroy(inner);
        tulle_mat_destroy(outer);
        return status;
    }
    tulle_mat_destroy(r->inner);
    tulle_mat_destroy(r->outer);
    r->inner = r->choice.A = inner;
    r->outer = outer;
    r->choice.permute = false;
    r->choice.permuted = true;
    return TULLE_OK;
}

static tulle_solve_attempt *last(const run *r) {
    return &r->report->attempt[r->report->attempts - 1];
}

static void begin_attempt(run *r) {
    const tulle__way *way = &r->choice.way;
    r->report->attempts++;
    *last(r) = (tulle_solve_attempt){.method = way->method, .row = -1};
    tulle__precond_name(way->precond, last(r)->precond);
}

/* Factors that blow vectors up by more than a power of the roundoff are of no use. */
static bool grows(const tulle__parts *parts, double growth) {
    const double unit = parts->info.type == TULLE_F32 ? ldexp(1, -24) : ldexp(1, -53);
    return !(growth < pow(unit, -0.75));
}

/* Says why parts that were chosen could not be made; false: the failure is the caller's. */
static bool excuse(const run *r, tulle_status status, char why[TULLE_WHY]) {
    const tulle__precond_kind kind = r->choice.way.precond.kind;
    const tulle_error *error = tulle_last_error();
    if (!r->choice.precond_open) return false;
    if (status == TULLE_ZERO_PIVOT && kind == TULLE__BLOCK_JACOBI) {
        snprintf(why, TULLE_WHY, "a block of its diagonal is singular");
    } else if (status == TULLE_ZERO_PIVOT) {
        snprintf(why, TULLE_WHY, "%s has no %s pivot in row %lld", tulle__factors_name(&r->choice),
                 kind == TULLE__IC ? "positive" : "nonzero", (long long)error->row);
    } else if (status == TULLE_UNSUPPORTED || status == TULLE_TOO_LARGE ||
               status == TULLE_OUT_OF_MEMORY) {
        snprintf(why, TULLE_WHY, "%s cannot be made: %s", tulle__factors_name(&r->choice),
                 error->message);
    } else {
        return false;
    }
    return true;
}

/* Makes the parts of the way that is chosen, or of another that the facts allow. Where none can be
 * made after attempts that iterated, parts->L is NULL. */
static tulle_status make_parts(run *r, tulle__parts *parts) {
    tulle__choice *c = &r->choice;
    for (;;) {
        char why[TULLE_WHY];
        double growth = 0;
        begin_attempt(r);
        const double start = tulle__seconds();
        tulle_status status = c->permute ? permute(r) : TULLE_OK;
        if (status != TULLE_OK) return status;
        last(r)->permuted = c->permuted;
        status =
            tulle__parts_make(r->ctx, r->inner, c->options->instead, &c->way, c->options, parts);
        if (status == TULLE_OK && parts->F && c->precond_open) {
            status = tulle__parts_growth(r->ctx, parts, &growth);
            if (status != TULLE_OK) tulle__parts_free(parts);
        }
        last(r)->ms = ms_since(start);
        if (status == TULLE_OK && !grows(parts, growth)) {
            r->report->precond_ms += last(r)->ms - parts->convert_ms;
            return TULLE_OK;
        }
        if (status == TULLE_OK) {
            snprintf(why, sizeof why, "solving with %s is not stable: it grows to %.3g",
                     tulle__factors_name(&r->choice), growth);
            tulle__parts_free(parts);
        } else if (!excuse(r, status, why)) {
            return status;
        } else {
            last(r)->row = tulle_last_error()->row;
        }
        r->report->precond_ms += last(r)->ms;
        if (r->report->attempts == TULLE_MOST_ATTEMPTS || !tulle__choose_other_precond(c, why)) {
            return r->iterated || status == TULLE_OK ? TULLE_OK : status;
        }
    }
}

/* Makes what tests the solution in mixed precision: A in f64, and a preconditioner where it has a
 * part in the norm. */
static tulle_status make_outer(run *r, const tulle__parts *inner, tulle_solver_options *options,
                               tulle__parts *outer) {
    tulle__way way = r->choice.way;
    if (options->norm != TULLE_PRECONDITIONED_NORM) {
        way.precond = (tulle__precond){.kind = TULLE__NO_PRECOND};
    }
    options->single_A = inner->L;
    options->single_M = inner->M;
    options->single_scale = r->scale;
    return tulle__parts_make(r->ctx, r->outer, NULL, &way, r->choice.options, outer);
}

/* Takes what attempts have used off the limits, which hold for all attempts together. */
static void set_limits(const run *r, tulle_solver_options *o) {
    int64_t iterations = 0;
    double ms = 0;
    for (int a = 0; a < r->report->attempts - 1; a++) {
        iterations += r->report->attempt[a].iterations;
        ms += r->report->attempt[a].ms;
    }
    if (o->max_seconds > 0) o->max_seconds = fmax(o->max_seconds - ms / 1e3, 1e-6);
    if (o->max_iterations > 0) {
        o->max_iterations = o->max_iterations > iterations ? o->max_iterations - iterations : 1;
    }
}

static tulle_status iterate(run *r, const tulle__parts *parts, tulle_solver_options *options,
                            tulle_solver_report *report) {
    const tulle_vec *b = r->turned_b ? r->turned_b : r->b;
    const double start = tulle__seconds();
    tulle_solver *S = NULL;
    tulle_status status = tulle_solver_create(r->ctx, parts->L, parts->M, options, &S);
    r->report->create_ms += ms_since(start);
    if (status == TULLE_OK) status = tulle_solver_run(r->ctx, S, b, r->x, report);
    tulle_solver_destroy(S);
    return status;
}

static void note(run *r, const tulle__parts *parts, const tulle_solver_report *report) {
    const tulle__choice *c = &r->choice;
    tulle_solve_report *to = r->report;
    to->solver = *report;
    to->used = to->attempts - 1;
    to->method = c->way.method;
    to->restart = c->way.restart;
    to->permuted = c->permuted;
    to->factors = parts->factors;
    to->solved = parts->info;
    memcpy(to->precond, last(r)->precond, sizeof to->precond);
    memcpy(to->method_why, c->method_why, sizeof to->method_why);
    memcpy(to->precond_why, c->precond_why, sizeof to->precond_why);
    memcpy(to->format_why, c->format_why, sizeof to->format_why);
}

/* Norms that different preconditioners have a part in do not compare: the last x then counts. */
static bool is_better(const run *r, double norm) {
    return !r->best || norm <= r->best_norm ||
           r->choice.options->solver.norm == TULLE_PRECONDITIONED_NORM;
}

/* Iterates with the parts, from the best x so far; notes the attempt whose x is the best. */
static tulle_status attempt(run *r, const tulle__parts *parts) {
    tulle_solver_options options = r->choice.options->solver;
    tulle_solver_report report = {.iterations = 0};
    tulle__parts outer = {.A = NULL};
    const double start = tulle__seconds();
    tulle_status status = TULLE_OK;
    options.method = r->choice.way.method;
    options.restart = r->choice.way.restart;
    options.single_A = options.single_M = NULL;
    set_limits(r, &options);
    if (r->best) {
        options.guess = true;
        status = tulle_vec_copy(r->ctx, r->best, r->x);
    }
    const bool mixed = r->choice.options->mixed;
    if (status == TULLE_OK && mixed) status = make_outer(r, parts, &options, &outer);
    if (status == TULLE_OK) status = iterate(r, mixed ? &outer : parts, &options, &report);
    tulle__parts_free(&outer);
    if (status != TULLE_OK) return status;
    tulle_solve_attempt *a = last(r);
    a->made = true;
    a->outcome = report.outcome;
    a->iterations = report.iterations;
    a->norm = report.norm;
    a->ms += ms_since(start);
    r->last_norm = report.norm;
    r->iterated = true;
    if (is_better(r, report.norm) || report.outcome == TULLE_CONVERGED) note(r, parts, &report);
    return TULLE_OK;
}

/* Keeps x for the next attempt, if it is better than where the attempt began; b - A x is finite
 * then. */
static tulle_status keep(run *r) {
    const tulle_solver_report *report = &r->report->solver;
    if (!(r->last_norm < report->start_norm) || r->last_norm != report->norm) return TULLE_OK;
    if (!r->best) {
        TULLE__TRY(tulle_vec_create(r->ctx, r->type, r->choice.info.rows, &r->best));
    }
    r->best_norm = report->norm;
    return tulle_vec_copy(r->ctx, r->x, r->best);
}

/* True if the caller's limits leave room for another attempt. */
static bool may_go_on(const run *r) {
    const tulle_solve_options *o = r->choice.options;
    const int most = o->max_attempts > 0 ? o->max_attempts : TULLE_MOST_ATTEMPTS;
    const tulle_outcome outcome = last(r)->outcome;
    if (outcome == TULLE_CONVERGED || r->report->attempts >= most) return false;
    if (outcome == TULLE_MOST_ITERATIONS && o->solver.max_iterations > 0) return false;
    return outcome != TULLE_MOST_TIME && outcome != TULLE_NOT_A_NUMBER && outcome != TULLE_STOPPED;
}

/* x becomes the best one where the last attempt did not improve it. */
static tulle_status finish(run *r) {
    if (!r->best || r->last_norm <= r->report->solver.norm) return TULLE_OK;
    return tulle_vec_copy(r->ctx, r->best, r->x);
}

static tulle_status go(run *r) {
    tulle__parts parts = {.A = NULL};
    double start = tulle__seconds();
    tulle_status status = tulle__choose(&r->choice);
    r->report->facts = r->choice.facts;
    r->report->choose_ms = ms_since(start);
    while (status == TULLE_OK) {
        status = make_parts(r, &parts);
        r->report->convert_ms += parts.convert_ms;
        if (status == TULLE_OK && !parts.L) break;
        if (status == TULLE_OK) status = attempt(r, &parts);
        tulle__parts_free(&parts);
        if (status != TULLE_OK || !may_go_on(r)) break;
        status = keep(r);
        start = tulle__seconds();
        if (status != TULLE_OK || !tulle__choose_next(&r->choice, last(r)->outcome)) break;
        r->report->choose_ms += ms_since(start);
    }
    return status == TULLE_OK ? finish(r) : status;
}

tulle_status tulle_solve_sized(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *b, tulle_vec *x,
                               const tulle_solve_options *options, size_t options_size,
                               tulle_solve_report *report) {
    tulle_solve_options own;
    tulle_mat_info info;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(b);
    TULLE__NEED(x);
    TULLE__NEED(report);
    TULLE__TRY(tulle__options_take("tulle_solve", options, options_size, &own, sizeof own));
    run r = {.ctx = ctx, .b = b, .x = x, .report = report, .choice = {.ctx = ctx}};
    *report = (tulle_solve_report){.attempts = 0};
    TULLE__TRY(tulle_mat_describe(A, &info));
    TULLE__TRY(check(ctx, A, b, x, &info));
    r.type = info.type;
    TULLE__TRY(take_options(&r, &own, &info));
    tulle_status status = prepare_matrix(&r, A, &info);
    if (status == TULLE_OK) status = prepare_inner(&r);
    r.choice.A = r.inner;
    if (status == TULLE_OK) status = tulle_mat_describe(r.inner, &r.choice.info);
    if (status == TULLE_OK) status = go(&r);
    tulle_vec_destroy(r.best);
    tulle_vec_destroy(r.turned_b);
    tulle_mat_destroy(r.inner);
    tulle_mat_destroy(r.outer);
    return status;
}
