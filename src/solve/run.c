/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "core/stopwatch.h"
#include "solve/solver.h"
#include "vector/operands.h"

/* Between these squares of norms, and what is far below them, are far from the ends of a type. */
static const double least_norm[] = {[TULLE_F32] = 1e-8, [TULLE_F64] = 1e-100};
static const double largest_norm[] = {[TULLE_F32] = 1e8, [TULLE_F64] = 1e100};

static tulle_status check(tulle_ctx *ctx, const tulle_solver *S, const tulle_dense *b,
                          const tulle_dense *x) {
    static const char *const function = "tulle_solver_run";
    const tulle__operand operand_b = {"b", b}, operand_x = {"x", x};
    if (ctx != S->ctx) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "ctx", -1,
                           "a solver runs in the context that it was made in");
    }
    TULLE__TRY(tulle__operand_check(function, ctx, operand_b, S->n, 1, S->type));
    TULLE__TRY(tulle__operand_check(function, ctx, operand_x, S->n, 1, S->type));
    return tulle__operand_apart(function, operand_x, operand_b);
}

/* What is multiplied by a power of 2 has the same bits; of less than the least normal number that
 * is enough. */
enum { MOST_EXPONENT = 1000 };

static double scale_from(int exponent) {
    return ldexp(1, exponent < MOST_EXPONENT ? exponent : (int)MOST_EXPONENT);
}

/* Numbers whose norm is beyond the type have a largest one; a sum over processes stays within it.
 */
static tulle_status scale_of_huge(tulle_solver *S, const tulle_dense *b) {
    enum { BELOW = 200 };
    double largest;
    TULLE__TRY(tulle_vec_norm_max(S->ctx, b, tulle_to_num(&largest)));
    largest = ldexp(largest, -BELOW);
    if (S->options.sum) TULLE__TRY(tulle__solver_sum(S, &largest, 1));
    if (tulle__is_number(largest) && largest > 0) S->scale = scale_from(-ilogb(largest) - BELOW);
    return TULLE_OK;
}

static tulle_status choose_scale(tulle_solver *S, const tulle_dense *b, double norm) {
    S->scale = 1;
    if (norm == INFINITY) return scale_of_huge(S, b);
    if (!(norm > 0)) return TULLE_OK;
    if (norm >= least_norm[S->type] && norm <= largest_norm[S->type]) return TULLE_OK;
    S->scale = scale_from(-ilogb(norm));
    return TULLE_OK;
}

/* By two factors: a power of 2 may be no number of the type. */
static tulle_status scale_by(tulle_solver *S, double scale, tulle_dense *x) {
    if (scale == 1) return TULLE_OK;
    const int half = ilogb(scale) / 2;
    TULLE__TRY(tulle_vec_scale(S->ctx, tulle_num(ldexp(1, half)), x));
    return tulle_vec_scale(S->ctx, tulle_num(ldexp(scale, -half)), x);
}

/* Of a b that is nothing but null vectors rounding leaves some of its roundoffs: that is 0. */
static tulle_status take_null_vectors_out(tulle_solver *S, tulle_dense *b, double *norm) {
    const double roundoffs = 64 * (S->type == TULLE_F32 ? FLT_EPSILON : DBL_EPSILON);
    S->noise = 0;
    if (!S->null_space) return TULLE_OK;
    TULLE__TRY(tulle__solver_project(S, b));
    TULLE__TRY(tulle__solver_norm(S, b, &S->norm_of_b));
    if (!(S->norm_of_b <= roundoffs * *norm * S->scale)) return TULLE_OK;
    S->noise = roundoffs * *norm * S->scale;
    S->norm_of_b = *norm = 0;
    return tulle_dense_fill(S->ctx, b, 0);
}

static tulle_status take_b(tulle_solver *S, const tulle_dense *b, double *norm) {
    tulle_dense *own = tulle__vector(S, TULLE__B);
    TULLE__TRY(tulle__solver_norm(S, b, norm));
    TULLE__TRY(choose_scale(S, b, *norm));
    TULLE__TRY(tulle__solver_copy(S, b, own));
    TULLE__TRY(scale_by(S, S->scale, own));
    S->norm_of_b = *norm;
    if (S->scale != 1) TULLE__TRY(tulle__solver_norm(S, own, &S->norm_of_b));
    return take_null_vectors_out(S, own, norm);
}

static tulle_status take_guess(tulle_solver *S, const tulle_dense *x, double norm) {
    tulle_dense *own = tulle__vector(S, TULLE__X);
    S->from_zero = !S->options.guess || norm == 0;
    if (S->from_zero) return tulle_dense_fill(S->ctx, own, 0);
    TULLE__TRY(tulle__solver_copy(S, x, own));
    return scale_by(S, S->scale, own);
}

/* Of x as the caller has it, where that may have lost digits or be beyond the type. */
static tulle_status look_at_given(tulle_solver *S) {
    double norm;
    if (S->scale == 1 || S->report.outcome != TULLE_CONVERGED) return TULLE_OK;
    TULLE__TRY(scale_by(S, S->scale, tulle__vector(S, TULLE__X)));
    TULLE__TRY(tulle__solver_residual(S, true, &norm));
    S->report.outcome = (tulle_outcome)tulle__solver_judge(S, norm, 0, TULLE_CONVERGED);
    S->report.norm = norm;
    return TULLE_OK;
}

/* As it was checked: without null vectors. */
static tulle_status give_x(tulle_solver *S, tulle_dense *x) {
    tulle_dense *own = tulle__vector(S, TULLE__X);
    TULLE__TRY(scale_by(S, 1 / S->scale, own));
    TULLE__TRY(tulle__solver_copy(S, own, x));
    return look_at_given(S);
}

static void reset(tulle_solver *S) {
    tulle__solver_turn_to(S, S->first);
    S->report = (tulle_solve_report){.outcome = TULLE_CONVERGED};
    S->now = (tulle__solve_state){.outcome = TULLE__GOES_ON};
    S->started = tulle__seconds();
    S->deadline = S->options.max_seconds > 0 ? S->started + S->options.max_seconds : 0;
    S->best = INFINITY;
    S->best_at = 0;
    S->kept_norm = INFINITY;
}

static tulle_status solve(tulle_solver *S, const tulle_dense *b, tulle_dense *x) {
    double norm = 0;
    tulle_solver *works = S->inner ? S->inner : S;
    if (works->first->renew) TULLE__TRY(works->first->renew(works));
    TULLE__TRY(take_b(S, b, &norm));
    TULLE__TRY(take_guess(S, x, norm));
    TULLE__TRY(S->inner ? tulle__solver_mixed(S) : tulle__solver_rounds(S));
    TULLE__TRY(give_x(S, x));
    return tulle_ctx_synchronize(S->ctx);
}

tulle_status tulle_solver_run(tulle_ctx *ctx, tulle_solver *S, const tulle_dense *b, tulle_dense *x,
                              tulle_solve_report *report) {
    TULLE__NEED(ctx);
    TULLE__NEED(S);
    TULLE__NEED(b);
    TULLE__NEED(x);
    TULLE__TRY(check(ctx, S, b, x));
    reset(S);
    S->scale = 1;
    if (!tulle__is_empty(S)) TULLE__TRY(solve(S, b, x));
    const double all = 1e3 * (tulle__seconds() - S->started), scale = S->scale;
    if (S->report.setup_ms == 0) S->report.setup_ms = all;
    S->report.solve_ms = all - S->report.setup_ms;
    S->report.iterations = S->now.iterations;
    S->report.start_norm /= scale;
    S->report.norm /= scale;
    S->report.limit /= scale;
    if (report) *report = S->report;
    return TULLE_OK;
}
