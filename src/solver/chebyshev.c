/* SPDX-License-Identifier: Apache-2.0 */
/* Chebyshev's iteration: Y. Saad, "Iterative Methods for Sparse Linear Systems", algorithm 12.1. */
#include "solver/solver.h"

/* Number of the first own vector, which is M r, if there is an M. */
enum { Z = TULLE__OWN };

static int d_of(const tulle_solver *S) {
    return TULLE__OWN + (tulle__has_M(S) ? 1 : 0);
}
static int q_of(const tulle_solver *S) {
    return d_of(S) + 1;
}

static int vectors(const tulle_solver *S) {
    return 2 + (tulle__has_M(S) ? 1 : 0);
}

static int phases(const tulle_solver *S) {
    (void)S;
    return 0;
}

/* Factor of the estimated upper end: estimates lie inside of the spectrum, whose upper end must
 * not be passed. */
static const double margin = 1.1;
enum { STEPS = 20 };

static tulle_status estimate(tulle_solver *S, const char *function) {
    tulle_solver_options of = S->options;
    if (!of.constant_null_space) of.null_space = S->null_space;
    TULLE__TRY(tulle__spectrum(function, S->ctx, S->A, S->M, &of, STEPS, &S->lowest, &S->highest));
    S->highest *= margin;
    if (S->lowest > S->highest / 2) S->lowest = S->highest / 2;
    return TULLE_OK;
}

static uint64_t renewals(const tulle_solver *S) {
    return tulle__stamp_join(S->A->renewals, S->M ? S->M->renewals : 0);
}

static tulle_status make(tulle_solver *S) {
    S->lowest = S->options.lowest;
    S->highest = S->options.highest;
    S->estimated_at = renewals(S);
    if (S->highest > 0 || tulle__is_empty(S)) return TULLE_OK;
    return estimate(S, "tulle_solver_create");
}

/* Estimates the bounds again: those of older values may be anywhere. */
static tulle_status renew(tulle_solver *S) {
    if (S->options.highest > 0 || S->estimated_at == renewals(S)) return TULLE_OK;
    TULLE__TRY(estimate(S, "tulle_solver_run"));
    S->estimated_at = renewals(S);
    return TULLE_OK;
}

static tulle_status begin(tulle_solver *S) {
    tulle__solve_state s = S->now;
    const int units = S->units.A + S->units.M;
    const double theta = ldexp((S->highest + S->lowest) / 2, units);
    const double delta = ldexp((S->highest - S->lowest) / 2, units);
    const int z = tulle__has_M(S) ? Z : TULLE__R;
    tulle_vec *d = tulle__vector(S, d_of(S));
    if (z == Z) {
        S->report.preconditions += S->M != NULL;
        TULLE__TRY(tulle__solver_precondition(S, tulle__vector(S, TULLE__R), tulle__vector(S, Z)));
    }
    TULLE__TRY(tulle__solver_copy(S, tulle__vector(S, z), d));
    TULLE__TRY(tulle_vec_scale(S->ctx, tulle_num(1 / theta), d));
    s.scalar[TULLE__THETA] = theta;
    s.scalar[TULLE__DELTA] = delta;
    s.scalar[TULLE__RHO] = delta / theta;
    return tulle__solver_set_state(S, &s);
}

static tulle_status iterate(tulle_solver *S, int phase) {
    const int d = d_of(S), q = q_of(S), z = tulle__has_M(S) ? Z : TULLE__R;
    const int residual[] = {TULLE__X, TULLE__R, d, q}, norm[] = {z}, direction[] = {d, z};
    int stage = 0;
    (void)phase;
    TULLE__TRY(tulle__solver_apply(S, tulle__vector(S, d), tulle__vector(S, q)));
    TULLE__TRY(tulle__solver_stage(S, TULLE__CHEBYSHEV_RESIDUAL, stage++, false, residual));
    if (z == Z) {
        TULLE__TRY(tulle__solver_precondition(S, tulle__vector(S, TULLE__R), tulle__vector(S, Z)));
    }
    if (tulle__from_left(S)) {
        TULLE__TRY(tulle__solver_stage(S, TULLE__CHEBYSHEV_NORM, stage++, false, norm));
    }
    return tulle__solver_stage(S, TULLE__CHEBYSHEV_DIRECTION, stage, true, direction);
}

const tulle__method tulle__chebyshev = {.name = "chebyshev",
                                        .vectors = vectors,
                                        .phases = phases,
                                        .make = make,
                                        .renew = renew,
                                        .begin = begin,
                                        .iterate = iterate,
                                        .products = 1};
