/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients that add up once an iteration, before A is applied: a product and one pass
 * over all vectors, two launches on a GPU, where cg.c has four or more (P. Ghysels and W. Vanroose,
 * "Hiding global synchronization latency in the preconditioned conjugate gradient algorithm", 2014,
 * algorithm 4). s = A p, w = A M r and z = A M s are carried by recurrences too, which loses
 * accuracy sooner: so they are computed anew every few iterations (S. Cools and others, "Analyzing
 * the effect of local rounding error propagation on the maximal attainable accuracy of the
 * pipelined conjugate gradient method", 2018, replace the residual as well). Where that is not
 * enough cg.c goes on. */
#include "solver/solver.h"

/* Numbers of the own vectors. M r is the first, as in all methods; without M there is none, nor
 * M w and M's diagonal, which are the last. */
enum { P = TULLE__OWN, S_OF_P, Z, W, N, PLAIN_END, U = TULLE__OWN, SCALED = 1 };

enum { SCALED_M = PLAIN_END + SCALED, SCALED_D, SCALED_END };

/* Number of a third state: between iterations scalars are in states 0 and 1 in turns. */
enum { SPARE_STATE = 2 };

static int own(const tulle_solver *S, int vector) {
    return tulle__is_scaled(S) ? vector + SCALED : vector;
}

static int vectors(const tulle_solver *S) {
    return (tulle__is_scaled(S) ? SCALED_END : PLAIN_END) - TULLE__OWN;
}

/* Returns the number of iterations of a round, which is even; the last one of a round computes s, w
 * and z anew. With rounds of 16, real matrices for which CG takes hundreds of iterations take 0 to
 * 6 % more of them; without computing anew they do not converge. */
static int phases(const tulle_solver *S) {
    (void)S;
    return 16;
}

/* Clears p, s and z, which follow each other, at once: a launch each would cost a short solution
 * as much as iterations. */
static tulle_status clear(tulle_solver *S) {
    void *begin = tulle__vector(S, own(S, P))->data;
    const size_t each = (size_t)S->length * (size_t)tulle_type_size(S->type);
    return S->ctx->backend->set_bytes(&S->ctx->place, begin, 0, (Z - P + 1) * each);
}

/* Computes w, M w and the sums number `goes` of r, in state number `now`. */
static tulle_status make_w(tulle_solver *S, int now, int goes) {
    const bool scaled = tulle__is_scaled(S);
    tulle_vec *w = tulle__vector(S, own(S, W));
    const int plain[] = {TULLE__R, W}, norms[] = {TULLE__R, U, own(S, W)};
    const tulle__step step = {now, SPARE_STATE, -1, goes};
    TULLE__TRY(tulle__solver_apply(S, tulle__vector(S, scaled ? U : TULLE__R), w));
    if (!scaled) return tulle__solver_step(S, TULLE__PIPELINED_NORMS, step, plain);
    TULLE__TRY(tulle__solver_precondition(S, w, tulle__vector(S, SCALED_M)));
    return tulle__solver_step(S, TULLE__PIPELINED_NORMS_SCALED, step, norms);
}

/* Computes s = A p and z = A M s. */
static tulle_status make_s(tulle_solver *S) {
    tulle_vec *s = tulle__vector(S, own(S, S_OF_P)), *z = tulle__vector(S, own(S, Z));
    tulle_vec *Ms = tulle__is_scaled(S) ? tulle__vector(S, own(S, N)) : s;
    TULLE__TRY(tulle__solver_apply(S, tulle__vector(S, own(S, P)), s));
    if (Ms != s) TULLE__TRY(tulle__solver_precondition(S, s, Ms));
    return tulle__solver_apply(S, Ms, z);
}

static tulle_status begin(tulle_solver *S) {
    tulle__solve_state s = S->now;
    s.scalar[TULLE__RHO] = 0;
    TULLE__TRY(tulle__solver_set_state(S, &s));
    S->report.products++;
    if (tulle__is_scaled(S)) S->report.preconditions += 2;
    return tulle__solver_prepare(S);
}

static tulle_status prepare(tulle_solver *S) {
    TULLE__TRY(clear(S));
    if (!tulle__is_scaled(S)) return make_w(S, 0, 0);
    TULLE__TRY(tulle__solver_copy(S, S->M->scales, tulle__vector(S, SCALED_D)));
    TULLE__TRY(tulle__solver_multiply(S, S->units.M, tulle__vector(S, SCALED_D)));
    TULLE__TRY(tulle__solver_precondition(S, tulle__vector(S, TULLE__R), tulle__vector(S, U)));
    return make_w(S, 0, 0);
}

static tulle_status iterate(tulle_solver *S, int phase) {
    const bool scaled = tulle__is_scaled(S);
    const int w = own(S, W), n = own(S, N), m = scaled ? SCALED_M : w;
    const int all[] = {TULLE__X,  TULLE__R, w, own(S, P), own(S, S_OF_P),
                       own(S, Z), n,        U, SCALED_M,  SCALED_D};
    const int now = phase % 2, next = 1 - now;
    const tulle__step step = {now, next, now, next};
    TULLE__TRY(tulle__solver_apply(S, tulle__vector(S, m), tulle__vector(S, n)));
    TULLE__TRY(
        tulle__solver_step(S, scaled ? TULLE__PIPELINED_SCALED : TULLE__PIPELINED, step, all));
    if (phase + 1 < phases(S)) return TULLE_OK;
    TULLE__TRY(make_s(S));
    return make_w(S, next, next);
}

const tulle__method tulle__pipelined_cg = {.name = "cg",
                                           .vectors = vectors,
                                           .phases = phases,
                                           .begin = begin,
                                           .prepare = prepare,
                                           .iterate = iterate,
                                           .products = 1,
                                           .goes_round = true,
                                           .products_anew = 3,
                                           .lag = 1,
                                           .fallback = &tulle__cg};
