/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients with one sum over processes an iteration, where cg.c has two that wait for
 * each other: the curvature (p, A p) comes by a recurrence from the inner products of r, u = M r
 * and w = A u, which are added up together, and s = A p is carried (A. T. Chronopoulos and C. W.
 * Gear, "s-step iterative methods for symmetric linear systems", 1989, with s = 1). An iteration
 * passes over 11 n numbers without M, one n more than cg.c. s drifts away from A p sooner than x
 * from the solution; where the residual, which is computed anew at the end, is too large for that,
 * cg.c goes on. */
#include "solver/solver.h"

/* Numbers of the own vectors. u is the first; without M it is r, and the others move up. The last
 * one is M's diagonal, where M is diagonal. */
enum { U = TULLE__OWN, P = TULLE__OWN, S_OF_P, W, PLAIN_END };

/* Number of the state that nobody reads. */
enum { SPARE_STATE = 2 };

static int own(const tulle_solver *S, int vector) {
    return tulle__has_M(S) ? vector + 1 : vector;
}
static int scales_of(const tulle_solver *S) {
    return own(S, PLAIN_END);
}

static int vectors(const tulle_solver *S) {
    return own(S, PLAIN_END) - TULLE__OWN + (tulle__is_scaled(S) ? 1 : 0);
}

static int phases(const tulle_solver *S) {
    (void)S;
    return 0;
}

/* Computes w = A u and the sums, in the state `now`, which `next` becomes. */
static tulle_status make_w(tulle_solver *S, int now, int next) {
    const tulle__step step = {now, next, -1, 0};
    const int u = tulle__has_M(S) ? U : TULLE__R, w = own(S, W);
    const int plain[] = {TULLE__R, w}, all[] = {TULLE__R, u, w};
    TULLE__TRY(tulle__solver_apply(S, tulle__vector(S, u), tulle__vector(S, w)));
    if (u == TULLE__R) return tulle__solver_step(S, TULLE__PIPELINED_NORMS, step, plain);
    return tulle__solver_step(S, TULLE__PIPELINED_NORMS_SCALED, step, all);
}

static tulle_status begin(tulle_solver *S) {
    tulle__solve_state s = S->now;
    s.scalar[TULLE__RHO] = 0;
    TULLE__TRY(tulle_vec_fill(S->ctx, tulle__vector(S, own(S, P)), 0));
    TULLE__TRY(tulle_vec_fill(S->ctx, tulle__vector(S, own(S, S_OF_P)), 0));
    TULLE__TRY(tulle__solver_set_state(S, &s));
    S->report.products++;
    if (tulle__is_scaled(S)) {
        TULLE__TRY(tulle__solver_copy(S, S->M->scales, tulle__vector(S, scales_of(S))));
        TULLE__TRY(tulle__solver_multiply(S, S->units.M, tulle__vector(S, scales_of(S))));
    }
    if (tulle__has_M(S)) {
        S->report.preconditions += S->M != NULL;
        TULLE__TRY(tulle__solver_precondition(S, tulle__vector(S, TULLE__R), tulle__vector(S, U)));
    }
    return make_w(S, 0, SPARE_STATE);
}

static tulle_status iterate(tulle_solver *S, int phase) {
    const int all[] = {TULLE__X, TULLE__R, own(S, W), own(S, P), own(S, S_OF_P), U, scales_of(S)};
    const tulle__step step = {0, 1, 0, 0};
    (void)phase;
    if (!tulle__has_M(S)) {
        TULLE__TRY(tulle__solver_step(S, TULLE__ONE_SUM_PLAIN, step, all));
    } else if (tulle__is_scaled(S)) {
        TULLE__TRY(tulle__solver_step(S, TULLE__ONE_SUM_SCALED, step, all));
    } else {
        TULLE__TRY(tulle__solver_step(S, TULLE__ONE_SUM, step, all));
        TULLE__TRY(tulle__solver_precondition(S, tulle__vector(S, TULLE__R), tulle__vector(S, U)));
    }
    return make_w(S, 1, 0);
}

const tulle__method tulle__cg_one_sum = {.name = "cg",
                                         .vectors = vectors,
                                         .phases = phases,
                                         .begin = begin,
                                         .iterate = iterate,
                                         .products = 1,
                                         .lag = 1,
                                         .fallback = &tulle__cg};
