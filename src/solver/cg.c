/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients, with and without a preconditioner. x moves together with the direction, so
 * that an iteration passes over 10 n numbers beside the product: (p, q) 2, r 3, x and p 5. */
#include "solver/solver.h"

/* Number of the first own vector, which is M r, if there is an M; the last one is M's diagonal,
 * where M is diagonal. */
enum { Z = TULLE__OWN };

static int p_of(const tulle_solver *S) {
    return TULLE__OWN + (tulle__has_M(S) ? 1 : 0);
}
static int q_of(const tulle_solver *S) {
    return p_of(S) + 1;
}
static int scales_of(const tulle_solver *S) {
    return q_of(S) + 1;
}

static int vectors(const tulle_solver *S) {
    return 2 + (tulle__has_M(S) ? 1 : 0) + (tulle__is_scaled(S) ? 1 : 0);
}

static int phases(const tulle_solver *S) {
    (void)S;
    return 0;
}

static tulle_status prepare(tulle_solver *S) {
    const int z = tulle__has_M(S) ? Z : TULLE__R, both[] = {TULLE__R, z};
    if (tulle__is_scaled(S)) {
        TULLE__TRY(tulle__solver_copy(S, S->M->scales, tulle__vector(S, scales_of(S))));
        TULLE__TRY(tulle__solver_multiply(S, S->units.M, tulle__vector(S, scales_of(S))));
    }
    if (z == Z) {
        TULLE__TRY(tulle__solver_precondition(S, tulle__vector(S, TULLE__R), tulle__vector(S, Z)));
    }
    TULLE__TRY(tulle__solver_copy(S, tulle__vector(S, z), tulle__vector(S, p_of(S))));
    return tulle__solver_stage(S, TULLE__CG_NORMS, 0, false, both);
}

static tulle_status begin(tulle_solver *S) {
    tulle__solve_state s = S->now;
    double sums[TULLE__STAGE_SUMS];
    S->report.preconditions += S->M != NULL;
    TULLE__TRY(tulle__solver_set_state(S, &s));
    TULLE__TRY(tulle__solver_prepare(S));
    TULLE__TRY(tulle__solver_sums(S, TULLE__CG_NORMS, 0, sums));
    s.scalar[TULLE__RHO] = sums[1];
    if (!tulle__is_number(sums[1])) {
        tulle__end(&s, TULLE_NOT_A_NUMBER);
    } else if (sums[1] <= 0) {
        tulle__end(&s, TULLE_INDEFINITE);
    }
    return tulle__solver_set_state(S, &s);
}

static tulle_status iterate_plain(tulle_solver *S) {
    const int p = p_of(S), q = q_of(S);
    const int residual[] = {TULLE__R, q}, direction[] = {TULLE__X, p, TULLE__R};
    TULLE__TRY(tulle__solver_stage(S, TULLE__CG_RESIDUAL, 1, false, residual));
    return tulle__solver_stage(S, TULLE__CG_DIRECTION_PLAIN, 2, true, direction);
}

static tulle_status iterate_scaled(tulle_solver *S) {
    const int residual[] = {TULLE__R, q_of(S), Z, scales_of(S)};
    const int direction[] = {TULLE__X, p_of(S), Z};
    TULLE__TRY(tulle__solver_stage(S, TULLE__CG_RESIDUAL_SCALED, 1, false, residual));
    return tulle__solver_stage(S, TULLE__CG_DIRECTION, 2, true, direction);
}

static tulle_status iterate_preconditioned(tulle_solver *S) {
    const int residual[] = {TULLE__R, q_of(S)}, norms[] = {TULLE__R, Z};
    const int direction[] = {TULLE__X, p_of(S), Z};
    TULLE__TRY(tulle__solver_stage(S, TULLE__CG_RESIDUAL_ALONE, 1, false, residual));
    TULLE__TRY(tulle__solver_precondition(S, tulle__vector(S, TULLE__R), tulle__vector(S, Z)));
    TULLE__TRY(tulle__solver_stage(S, TULLE__CG_NORMS, 2, false, norms));
    return tulle__solver_stage(S, TULLE__CG_DIRECTION, 3, true, direction);
}

static tulle_status iterate(tulle_solver *S, int phase) {
    const int p = p_of(S), q = q_of(S), curvature[] = {p, q};
    (void)phase;
    TULLE__TRY(tulle__solver_apply(S, tulle__vector(S, p), tulle__vector(S, q)));
    TULLE__TRY(tulle__solver_stage(S, TULLE__CG_CURVATURE, 0, false, curvature));
    if (!tulle__has_M(S)) return iterate_plain(S);
    return tulle__is_scaled(S) ? iterate_scaled(S) : iterate_preconditioned(S);
}

const tulle__method tulle__cg = {.name = "cg",
                                 .vectors = vectors,
                                 .phases = phases,
                                 .begin = begin,
                                 .prepare = prepare,
                                 .iterate = iterate,
                                 .products = 1};
