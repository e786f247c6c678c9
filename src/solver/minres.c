/* SPDX-License-Identifier: Apache-2.0 */
/* Minimal residuals: Lanczos' vectors v, z = M v, and rotations that make the tridiagonal matrix
 * triangular (C. C. Paige and M. A. Saunders, "Solution of sparse indefinite systems of linear
 * equations", 1975; with M: H. C. Elman, D. J. Silvester and A. J. Wathen, "Finite Elements and
 * Fast Iterative Solvers", algorithm 4.1).
 *
 * The rotations give the norm of the residual by M, the root of (r, M r). Without M that is |r|.
 * With M the tested vector, r or M r, is carried along: r := s^2 r - s c eta v, where s and c are
 * sine and cosine of the last rotation, eta the norm by M before it, with its sign, and v Lanczos'
 * next vector at length 1; of M r, z stands for v. M counts times a power of 2, the same for all
 * units of M: the root of twice a number has other digits. */
#include <float.h>
#include <math.h>

#include "solver/solver.h"

/* Two vectors of a kind take turns: the older one becomes the next. With M the first own vectors
 * are z, as M r is in all methods; A z comes into the place of the next z. Without M, z is v, and
 * there is a vector for A z. */
typedef struct own_vectors {
    int z[2], v[2], w[2], q, d, count;
} own_vectors;

static own_vectors own_of(const tulle_solver *S) {
    own_vectors o;
    int next = TULLE__OWN;
    for (int i = 0; i < 2; i++) o.z[i] = next++;
    for (int i = 0; i < 2; i++) o.v[i] = tulle__has_M(S) ? next++ : o.z[i];
    for (int i = 0; i < 2; i++) o.w[i] = next++;
    o.d = next;
    next += tulle__is_scaled(S) ? 1 : 0;
    o.q = next;
    next += tulle__has_M(S) ? 0 : 1;
    o.count = next - TULLE__OWN;
    return o;
}

static int vectors(const tulle_solver *S) {
    return own_of(S).count;
}

/* Returns the number of iterations of a round, which one graph holds. It is even, because vectors
 * take turns. */
static int phases(const tulle_solver *S) {
    (void)S;
    return 16;
}

/* Share of the norm of A that is noise, in roundoffs. */
enum { NOISE = 16 };

/* Largest length of a direction, in units of 1 / |A|. Directions are longer only where the
 * condition of A is larger than this, and then they have few digits left. */
static const double most[] = {[TULLE_F32] = 0x1p20, [TULLE_F64] = 0x1p42};

/* Finds the power of 2 by which M counts: (r, M r) is then between (r, r) and twice that. */
static tulle_status weigh(tulle_solver *S, const tulle_vec *r, double square, double *weight) {
    double norm;
    *weight = 1;
    if (!tulle__has_M(S)) return TULLE_OK;
    TULLE__TRY(tulle__solver_norm(S, r, &norm));
    const double share = square / norm / norm;
    if (share > 0 && tulle__is_number(share)) *weight = ldexp(1, -ilogb(share));
    return TULLE_OK;
}

static tulle_status begin(tulle_solver *S) {
    const own_vectors o = own_of(S);
    const int first[] = {o.v[0], o.z[0]}, zeros[] = {o.v[1], o.w[0], o.w[1]};
    tulle_vec *r = tulle__vector(S, TULLE__R), *z = tulle__vector(S, o.z[0]);
    tulle__solve_state s = S->now;
    double square, weight;
    TULLE__TRY(tulle__solver_copy(S, r, tulle__vector(S, o.v[0])));
    for (int i = 0; i < 3; i++) TULLE__TRY(tulle_vec_fill(S->ctx, tulle__vector(S, zeros[i]), 0));
    if (tulle__is_scaled(S)) {
        TULLE__TRY(tulle__solver_copy(S, S->M->scales, tulle__vector(S, o.d)));
        TULLE__TRY(tulle__solver_multiply(S, S->units.M, tulle__vector(S, o.d)));
    }
    if (tulle__has_M(S)) {
        S->report.preconditions += S->M != NULL;
        TULLE__TRY(tulle__solver_precondition(S, r, z));
        if (tulle__from_left(S)) TULLE__TRY(tulle__solver_copy(S, z, r));
    }
    TULLE__TRY(tulle__solver_set_state(S, &s));
    TULLE__TRY(tulle__solver_stage(S, TULLE__MINRES_LENGTH, 0, false, first));
    TULLE__TRY(tulle__solver_sums(S, TULLE__MINRES_LENGTH, 0, &square));
    TULLE__TRY(weigh(S, tulle__vector(S, o.v[0]), square, &weight));
    const double gamma = sqrt(weight * square);
    const tulle__rotations before = S->now.turning; /* rotations of the round before; or zeros */
    s.scalar[TULLE__OMEGA] = 0;
    s.turning = (tulle__rotations){
        .gamma = gamma,
        .eta = gamma,
        .cosine = 1,
        .largest = before.weight > 0 ? before.largest * weight / before.weight : 0,
        .noise = NOISE * (S->type == TULLE_F32 ? FLT_EPSILON : DBL_EPSILON),
        .most = most[S->type],
        .weight = weight};
    if (!tulle__is_number(square)) {
        tulle__end(&s, TULLE_NOT_A_NUMBER);
    } else if (square <= 0) {
        tulle__end(&s, TULLE_INDEFINITE);
    }
    return tulle__solver_set_state(S, &s);
}

/* Numbers of states between the stages of an iteration; 0 and 1 are those between iterations, in
 * turns. */
enum { CURVED = 2, WITH_NEXT, MEASURED, TURNED };

/* Numbers of the sums of an iteration. */
enum { CURVATURE, LENGTH, NORMS, NOTHING };

/* Makes Lanczos' next vector and its sum. */
static tulle_status extend(tulle_solver *S, const own_vectors *o, int now, int q) {
    const int next = 1 - now, lanczos[] = {o->v[next], o->v[now], q, o->d};
    const int length[] = {o->v[next], o->z[next]};
    const tulle__step step = {CURVED, WITH_NEXT, CURVATURE, LENGTH};
    if (!tulle__has_M(S)) return tulle__solver_step(S, TULLE__MINRES_LANCZOS_PLAIN, step, lanczos);
    if (tulle__is_scaled(S)) {
        return tulle__solver_step(S, TULLE__MINRES_LANCZOS_SCALED, step, lanczos);
    }
    TULLE__TRY(tulle__solver_step(S, TULLE__MINRES_LANCZOS, step, lanczos));
    TULLE__TRY(
        tulle__solver_precondition(S, tulle__vector(S, o->v[next]), tulle__vector(S, o->z[next])));
    return tulle__solver_step(S, TULLE__MINRES_LENGTH,
                              (tulle__step){WITH_NEXT, MEASURED, -1, LENGTH}, length);
}

static tulle_status iterate(tulle_solver *S, int phase) {
    const own_vectors o = own_of(S);
    const int now = phase % 2, next = 1 - now, q = tulle__has_M(S) ? o.z[next] : o.q;
    const int curvature[] = {o.z[now], q};
    const int direction[] = {o.w[next], o.w[now], o.z[now], TULLE__R,
                             tulle__from_left(S) ? o.z[next] : o.v[next]};
    const int step[] = {TULLE__X, o.w[next]};
    const bool plain = !tulle__has_M(S);
    const int measured = plain || tulle__is_scaled(S) ? WITH_NEXT : MEASURED;
    const tulle__step turn = {measured, TURNED, LENGTH, NORMS},
                      last = {TURNED, next, NORMS, NOTHING};
    TULLE__TRY(tulle__solver_apply(S, tulle__vector(S, o.z[now]), tulle__vector(S, q)));
    TULLE__TRY(tulle__solver_step(S, TULLE__MINRES_LENGTH,
                                  (tulle__step){now, CURVED, -1, CURVATURE}, curvature));
    TULLE__TRY(extend(S, &o, now, q));
    TULLE__TRY(tulle__solver_step(
        S, plain ? TULLE__MINRES_DIRECTION_PLAIN : TULLE__MINRES_DIRECTION, turn, direction));
    return tulle__solver_step(S, plain ? TULLE__MINRES_STEP_PLAIN : TULLE__MINRES_STEP, last, step);
}

const tulle__method tulle__minres = {.name = "minres",
                                     .vectors = vectors,
                                     .phases = phases,
                                     .begin = begin,
                                     .iterate = iterate,
                                     .products = 1,
                                     .goes_round = true};
