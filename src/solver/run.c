/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "comm/comm.h"
#include "core/stopwatch.h"
#include "solver/solver.h"
#include "vector/operands.h"

static tulle_status check(tulle_ctx *ctx, const tulle_solver *S, const tulle_vec *b,
                          const tulle_vec *x) {
    static const char *const function = "tulle_solver_run";
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, b);
    TULLE__NEED_OF(function, x);
    const tulle__operand operand_b = {"b", b}, operand_x = {"x", x};
    if (ctx != S->ctx) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "ctx", -1,
                           "a solver runs in the context that it was made in");
    }
    TULLE__TRY(tulle__operand_check(function, ctx, operand_b, S->n, b->cols, S->type));
    TULLE__TRY(tulle__operand_check(function, ctx, operand_x, S->n, b->cols, S->type));
    return tulle__operand_apart(function, operand_x, operand_b);
}

/* Takes the part along null vectors out of b. Of a b that consists of null vectors alone,
 * rounding leaves some roundoffs, which count as 0. norm: of b with its null vectors, in the
 * solver's units. */
static tulle_status take_null_vectors_out(tulle_solver *S, double norm) {
    const double roundoffs = 64 * (S->type == TULLE_F32 ? FLT_EPSILON : DBL_EPSILON);
    tulle_vec *b = tulle__vector(S, TULLE__B);
    S->noise = 0;
    if (!S->null_space) return TULLE_OK;
    TULLE__TRY(tulle__solver_project(S, b));
    TULLE__TRY(tulle__solver_norm(S, b, &S->norm_of_b));
    if (!(S->norm_of_b <= roundoffs * norm)) return TULLE_OK;
    S->noise = roundoffs * norm;
    S->norm_of_b = 0;
    return tulle_vec_fill(S->ctx, b, 0);
}

/* Finds the guess's exponent in the caller's units; NaN or Inf in it are found even where no
 * entry of A meets them. */
static tulle_status look_at_guess(tulle_solver *S, tulle__exponent *guess) {
    double norm;
    *guess = (tulle__exponent){.finite = true, .is_0 = true};
    if (!S->options.guess) return TULLE_OK;
    TULLE__TRY(tulle__solver_norm(S, S->given, &norm));
    return tulle__solver_exponent(S, S->given, norm, guess);
}

/* Takes b, and finds all units: those of A and M by the products of them with b, and b's by
 * both. */
static tulle_status take_b(tulle_solver *S, const tulle_vec *b, const tulle__exponent *guess) {
    tulle_vec *own = tulle__vector(S, TULLE__B);
    tulle__exponent size;
    double norm;
    TULLE__TRY(tulle__solver_copy(S, b, own));
    TULLE__TRY(tulle__solver_norm(S, b, &norm));
    TULLE__TRY(tulle__solver_exponent(S, b, norm, &size));
    S->units.b = tulle__solver_power_of_b(S, norm, &size);
    TULLE__TRY(tulle__solver_multiply(S, S->units.b, own));
    if (size.finite && !size.is_0) {
        TULLE__TRY(tulle__solver_look_at_sizes(S));
        const int share = tulle__solver_share_of_b(S, guess);
        TULLE__TRY(tulle__solver_multiply(S, share, own));
        S->units.b += share;
    }
    S->norm_of_b = norm;
    if (S->units.b != 0) TULLE__TRY(tulle__solver_norm(S, own, &S->norm_of_b));
    return take_null_vectors_out(S, S->norm_of_b);
}

tulle_status tulle__solver_take_start(tulle_solver *S) {
    tulle_vec *own = tulle__vector(S, TULLE__X);
    if (S->from_zero) return tulle_vec_fill(S->ctx, own, 0);
    TULLE__TRY(tulle__solver_copy(S, S->given, own));
    return tulle__solver_multiply(S, S->units.b - S->units.A, own);
}

/* Reports an x with Inf or NaN in it as no number, even where no entry of A meets that. */
static tulle_status look_at_x(tulle_solver *S) {
    tulle__exponent size;
    double norm;
    TULLE__TRY(tulle__solver_norm(S, tulle__vector(S, TULLE__X), &norm));
    TULLE__TRY(tulle__solver_exponent(S, tulle__vector(S, TULLE__X), norm, &size));
    if (!size.finite) S->report.outcome = TULLE_NOT_A_NUMBER;
    return TULLE_OK;
}

tulle_status tulle__solver_give_early(tulle_solver *S) {
    if (!S->early || S->null_space || S->units.b != S->units.A) return TULLE_OK;
    S->is_given = true;
    return tulle__solver_copy(S, tulle__vector(S, TULLE__X), S->early);
}

/* Gives the caller x as it was checked, without null vectors. In the caller's units it may have
 * lost digits or be beyond the type, so the report is of x as the caller has it. */
static tulle_status give_x(tulle_solver *S, tulle_vec *x) {
    tulle_vec *own = tulle__vector(S, TULLE__X);
    const int power = S->units.b - S->units.A;
    TULLE__TRY(tulle__solver_multiply(S, -power, own));
    if (power != 0) TULLE__TRY(look_at_x(S));
    if (power != 0 && S->report.outcome == TULLE_NOT_A_NUMBER) return TULLE_OK;
    if (!S->is_given) TULLE__TRY(tulle__solver_copy(S, own, x));
    if (power == 0) return TULLE_OK;
    TULLE__TRY(tulle__solver_multiply(S, power, own));
    TULLE__TRY(tulle__solver_residual(S, true, &S->report.norm));
    S->report.outcome =
        (tulle_outcome)tulle__solver_judge(S, S->report.norm, 0, (int)S->report.outcome);
    return TULLE_OK;
}

void tulle__solver_reset(tulle_solver *S, double started) {
    tulle__solver_turn_to(S, S->first);
    S->report = (tulle_solver_report){.outcome = TULLE_CONVERGED};
    S->now = (tulle__solve_state){.outcome = TULLE__GOES_ON};
    S->started = started;
    S->deadline = S->options.max_seconds > 0 ? S->started + S->options.max_seconds : 0;
    S->best = INFINITY;
    S->best_at = 0;
    S->kept_norm = INFINITY;
    S->unit = 1;
    S->units.b = 0;
    S->early = NULL;
    S->is_given = false;
}

/* Forgets the units after a solution that ended badly: they may be of other values of A and M
 * than there are now. */
static void judge_units(tulle_solver *S) {
    if (S->report.outcome == TULLE_CONVERGED) return;
    S->units.known = false;
    if (S->inner) S->inner->units.known = false;
}

tulle_status tulle__solver_take(tulle_solver *S, const tulle_vec *b, const tulle_vec *x) {
    tulle__exponent guess;
    S->given = x;
    TULLE__TRY(look_at_guess(S, &guess));
    S->bad_guess = !guess.finite;
    TULLE__TRY(take_b(S, b, &guess));
    S->from_zero = !S->options.guess || S->norm_of_b == 0;
    return tulle__solver_take_start(S);
}

tulle_status tulle__solver_give(tulle_solver *S, tulle_vec *x) {
    if (S->bad_guess && !S->from_zero) S->report.outcome = TULLE_NOT_A_NUMBER;
    TULLE__TRY(give_x(S, x));
    judge_units(S);
    return TULLE_OK;
}

/* Returns the limit in the caller's units: the caller's own `absolute` where that is beyond f64
 * in the solver's units. */
static double told_limit(const tulle_solver *S) {
    const double limit = tulle__told_norm(S, S->report.limit);
    return tulle__is_number(limit) ? limit : S->options.absolute;
}

void tulle__solver_tell(tulle_solver *S) {
    S->report.iterations = S->now.iterations;
    S->report.start_norm = tulle__told_norm(S, S->report.start_norm);
    S->report.norm = tulle__told_norm(S, S->report.norm);
    S->report.limit = told_limit(S);
}

/* Finds out whether any process has a monitor: then all have to hear if one says stop. */
static tulle_status look_for_monitors(tulle_solver *S) {
    double monitors = S->options.monitor ? 1 : 0;
    if (tulle__is_shared(S)) TULLE__TRY(tulle__solver_sum(S, &monitors, 1));
    S->watched = tulle__is_shared(S) && monitors > 0;
    return TULLE_OK;
}

static tulle_status solve(tulle_solver *S, double started, const tulle_vec *b, tulle_vec *x) {
    tulle_solver *works = S->inner ? S->inner : S;
    tulle__solver_reset(S, started);
    if (!S->inner && !S->options.guess) S->early = x;
    if (tulle__is_empty(S)) return TULLE_OK;
    TULLE__TRY(look_for_monitors(S));
    if (works->first->renew) TULLE__TRY(works->first->renew(works));
    TULLE__TRY(tulle__solver_take(S, b, x));
    TULLE__TRY(S->inner ? tulle__solver_mixed(S) : tulle__solver_rounds(S));
    TULLE__TRY(tulle__solver_give(S, x));
    return tulle_ctx_synchronize(S->ctx);
}

tulle_status tulle__solver_run_one(tulle_solver *S, double started, const tulle_vec *b,
                                   tulle_vec *x) {
    TULLE__TRY(solve(S, started, b, x));
    const double all = 1e3 * (tulle__seconds() - S->started);
    if (S->report.setup_ms == 0) S->report.setup_ms = all;
    S->report.solve_ms = all - S->report.setup_ms;
    tulle__solver_tell(S);
    return TULLE_OK;
}

tulle_status tulle_solver_run(tulle_ctx *ctx, tulle_solver *S, const tulle_vec *b, tulle_vec *x,
                              tulle_solver_report *report) {
    TULLE__NEED(S);
    tulle_status status = check(ctx, S, b, x);
    S->stopped = false;
    if (status == TULLE_OK) {
        status = b->cols == 1 ? tulle__solver_run_one(S, tulle__seconds(), b, x)
                              : tulle__solver_run_several(S, b, x);
    }
    TULLE__TRY(tulle__comm_spoil(S->options.comm, status));
    if (b->cols == 1) S->report_count = 1;
    if (report) *report = S->report;
    return TULLE_OK;
}
