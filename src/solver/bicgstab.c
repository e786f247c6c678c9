/* SPDX-License-Identifier: Apache-2.0 */
/* Stabilised biconjugate gradients. The names are van der Vorst's: s is r after half a step. */
#include "solver/solver.h"

/* Number of the first own vector. With an M, the first ones hold the vectors between A and M: M
 * p and M s, or, from the left, one vector for both. */
enum { HAT = TULLE__OWN };

typedef struct own_vectors {
    int p_hat, s_hat, r0, p, v, t, count;
} own_vectors;

static own_vectors own_of(const tulle_solver *S) {
    const int hats = !tulle__has_M(S) ? 0 : tulle__from_left(S) ? 1 : 2;
    own_vectors o = {.p_hat = HAT, .s_hat = hats == 2 ? HAT + 1 : HAT};
    int next = HAT + hats;
    o.r0 = next++;
    o.p = next++;
    o.v = next++;
    o.t = next++;
    o.count = next - TULLE__OWN;
    return o;
}

static int vectors(const tulle_solver *S) {
    return own_of(S).count;
}

static int phases(const tulle_solver *S) {
    (void)S;
    return 0;
}

static tulle_status begin(tulle_solver *S) {
    const own_vectors o = own_of(S);
    tulle_vec *r = tulle__vector(S, TULLE__R);
    tulle__solve_state s = S->now;
    double norm;
    if (tulle__from_left(S)) {
        S->report.preconditions += S->M != NULL;
        TULLE__TRY(tulle__solver_precondition(S, r, tulle__vector(S, o.t)));
        TULLE__TRY(tulle__solver_copy(S, tulle__vector(S, o.t), r));
    }
    TULLE__TRY(tulle__solver_copy(S, r, tulle__vector(S, o.r0)));
    TULLE__TRY(tulle__solver_copy(S, r, tulle__vector(S, o.p)));
    TULLE__TRY(tulle__solver_norm(S, r, &norm));
    s.scalar[TULLE__RHO] = norm * norm;
    return tulle__solver_set_state(S, &s);
}

static tulle_status iterate(tulle_solver *S, int phase) {
    const own_vectors o = own_of(S);
    const bool right = tulle__has_M(S) && !tulle__from_left(S);
    const int p_hat = right ? o.p_hat : o.p, s_hat = right ? o.s_hat : TULLE__R;
    const int step[] = {o.r0, o.v}, half[] = {TULLE__R, o.v}, smooth[] = {o.t, TULLE__R};
    const int residual[] = {TULLE__X, p_hat, s_hat, TULLE__R, o.t, o.r0};
    const int direction[] = {o.p, TULLE__R, o.v};
    (void)phase;
    TULLE__TRY(tulle__solver_operator(S, tulle__vector(S, o.p), tulle__vector(S, o.p_hat),
                                      tulle__vector(S, o.v)));
    TULLE__TRY(tulle__solver_stage(S, TULLE__BICGSTAB_STEP, 0, false, step));
    TULLE__TRY(tulle__solver_stage(S, TULLE__BICGSTAB_HALF, 1, false, half));
    TULLE__TRY(tulle__solver_operator(S, tulle__vector(S, TULLE__R), tulle__vector(S, o.s_hat),
                                      tulle__vector(S, o.t)));
    TULLE__TRY(tulle__solver_stage(S, TULLE__BICGSTAB_SMOOTH, 2, false, smooth));
    TULLE__TRY(tulle__solver_stage(S, TULLE__BICGSTAB_RESIDUAL, 3, false, residual));
    return tulle__solver_stage(S, TULLE__BICGSTAB_DIRECTION, 4, true, direction);
}

const tulle__method tulle__bicgstab = {.name = "bicgstab",
                                       .vectors = vectors,
                                       .phases = phases,
                                       .begin = begin,
                                       .iterate = iterate,
                                       .products = 2};
