/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed precision: corrections d with A d = r, r the residual in f64, are solved for in f32 and
 * added until r is small (iterative refinement: J. H. Wilkinson 1963; with an iterative method
 * inside: Y. Saad, "Iterative Methods for Sparse Linear Systems", 9.4). */
#include <math.h>

#include "solver/solver.h"

/* Relative tolerance of one correction: at least `each`, as a smaller one is beyond f32 where A
 * is ill-conditioned, and `enough` of the factor that is left to the limit. */
static const double each = 1e-4, enough = 0.5;

static int no_vectors(const tulle_solver *S) {
    return tulle__has_M(S) ? 1 : 0;
}
static int no_phases(const tulle_solver *S) {
    (void)S;
    return 0;
}
const tulle__method tulle__outer = {
    .name = "mixed precision", .vectors = no_vectors, .phases = no_phases};

/* Sets up the inner solver. Its right-hand side is r / norm. Its limit is a share of the tested
 * norm of that right-hand side, in the units of the inner preconditioner. */
static tulle_status set_up(tulle_solver *S, double norm, double tested, double *start) {
    tulle_solver *inner = S->inner;
    tulle_vec *r = tulle__vector(S, TULLE__R);
    TULLE__TRY(tulle_vec_scale(S->ctx, tulle_num(1 / norm), r));
    TULLE__TRY(tulle_vec_copy(S->ctx, r, tulle__vector(inner, TULLE__B)));
    inner->report = (tulle_solver_report){.limit = 0};
    inner->norm_of_b = 1;
    TULLE__TRY(tulle__solver_look_at_sizes(inner));
    TULLE__TRY(tulle__solver_norm_of_b(inner, start));
    inner->report.limit = fmax(enough * S->report.limit / tested, each) * *start;
    TULLE__TRY(
        tulle__solver_copy(inner, tulle__vector(inner, TULLE__B), tulle__vector(inner, TULLE__R)));
    TULLE__TRY(tulle_vec_fill(S->ctx, tulle__vector(inner, TULLE__X), 0));
    inner->now = (tulle__solve_state){.iterations = S->now.iterations};
    inner->unit = ldexp(tested / *start, tulle__norm_power(inner) - tulle__norm_power(S));
    inner->started = S->started;
    inner->stopped = S->stopped;
    inner->watched = S->watched;
    inner->deadline = S->deadline;
    inner->best = INFINITY;
    inner->best_at = S->now.iterations;
    inner->kept_norm = INFINITY;
    return TULLE_OK;
}

/* Runs the inner method, cycle by cycle, until it ends. When the method says that it has converged,
 * no residual is computed anew to check that. */
static tulle_status run_inner(tulle_solver *inner, double norm) {
    int said;
    do {
        inner->tested = norm;
        inner->ended = TULLE__GOES_ON;
        TULLE__TRY(tulle__solver_run_method(inner));
        said = inner->now.outcome;
        if (said == TULLE__GOES_ON) TULLE__TRY(tulle__solver_residual(inner, false, &norm));
    } while (said == TULLE__GOES_ON && tulle__is_number(norm) &&
             inner->now.iterations < inner->options.max_iterations);
    return TULLE_OK;
}

/* Adds to x the correction d that the outer solver needs: 2^j A d = r, 2^j being its unit of A. The
 * inner solver has solved 2^i c A y = r / norm, with the factor c (single_scale) and its unit 2^i
 * of c A. So d = 2^(i - j) c norm y. */
static tulle_status add_correction(tulle_solver *S, double norm) {
    tulle_vec *d = tulle__vector(S, TULLE__R);
    const int units = S->inner->units.A - S->units.A;
    const double times = ldexp(norm * S->options.single_scale, units);
    TULLE__TRY(tulle_vec_copy(S->ctx, tulle__vector(S->inner, TULLE__X), d));
    return tulle_vec_axpy(S->ctx, tulle_num(times), d, tulle__vector(S, TULLE__X));
}

/* Runs the inner solver on the residual, and adds its correction to x unless the correction makes
 * the residual no smaller. */
static tulle_status correct(tulle_solver *S, double norm, double tested) {
    double start, left;
    TULLE__TRY(set_up(S, norm, tested, &start));
    TULLE__TRY(run_inner(S->inner, start));
    S->stopped = S->inner->stopped;
    TULLE__TRY(tulle__solver_residual(S->inner, false, &left));
    TULLE__TRY(tulle__solver_take_back(S->inner, false, &left));
    S->now.iterations = S->inner->now.iterations;
    S->report.products += S->inner->report.products;
    S->report.preconditions += S->inner->report.preconditions;
    if (S->report.setup_ms == 0) S->report.setup_ms = S->inner->report.setup_ms;
    return left < start ? add_correction(S, norm) : TULLE_OK;
}

/* Computes the 2-norm of the residual, which scales a correction whatever norm is tested. */
static tulle_status true_norm(tulle_solver *S, double *norm) {
    return tulle__solver_norm(S, tulle__vector(S, TULLE__R), norm);
}

tulle_status tulle__solver_mixed(tulle_solver *S) {
    double norm;
    TULLE__TRY(tulle__solver_first_residual(S, &S->tested));
    TULLE__TRY(tulle__solver_start(S));
    while (S->ended == TULLE__GOES_ON) {
        const double before = S->tested;
        TULLE__TRY(true_norm(S, &norm));
        TULLE__TRY(correct(S, norm, S->tested));
        int said = S->inner->now.outcome;
        if (said == TULLE__GOES_ON) said = TULLE_MOST_ITERATIONS;
        TULLE__TRY(tulle__solver_check(S, &S->tested));
        S->ended = tulle__solver_judge(S, S->tested, before, said);
    }
    S->report.outcome = (tulle_outcome)S->ended;
    S->report.norm = S->tested;
    return TULLE_OK;
}
