/* SPDX-License-Identifier: Apache-2.0 */
/* Stabilised biconjugate gradients of cuSPARSE and cuBLAS, preconditioned from the right. The names
 * are van der Vorst's; s takes the place of r. */
#if defined(TULLE_PEER_CUSPARSE) && defined(TULLE_PEER_CUBLAS)
#include "lab/peers/krylov.h"
#include "lab/peers/peers.h"

enum { R = KRYLOV_OWN, R0, P, P_HAT, S_HAT, V, T, BEHIND };
/* Each quotient is followed by its negative. */
enum {
    STEP = KRYLOV_OWN_SCALARS,
    TS,
    TT,
    RHO,
    OTHER_RHO,
    ALPHA,
    MINUS_ALPHA,
    OMEGA,
    MINUS_OMEGA,
    BETA
};

static const krylov_way ways[] = {
    {CUSPARSE_SPMV_CSR_ALG1, .geam = false, .policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL},
    {CUSPARSE_SPMV_CSR_ALG1, .geam = true, .policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL},
    {CUSPARSE_SPMV_CSR_ALG2, .geam = false, .policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL},
    {CUSPARSE_SPMV_CSR_ALG2, .geam = true, .policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL}};
enum { ALG1, ALG1_GEAM, ALG2, ALG2_GEAM };

typedef struct bicgstab_task {
    krylov k;
    bool odd; /* the next iteration is an odd one, which decides which (r0, r) is the old one */
} bicgstab_task;

static tulle_status start(void *state) {
    bicgstab_task *t = state;
    const krylov *k = &t->k;
    t->odd = false;
    KRYLOV_TRY(tulle_vec_fill(k->problem->ctx, k->problem->y, 0));
    KRYLOV_TRY(krylov_copy(k, KRYLOV_B, R));
    KRYLOV_TRY(krylov_copy(k, R, R0));
    KRYLOV_TRY(krylov_copy(k, R, P));
    return krylov_dot(k, R0, R, RHO);
}

/* Computes v := A M p, and r := r - alpha v. */
static tulle_status take_step(const krylov *k, int p, int rho) {
    KRYLOV_TRY(krylov_precondition(k, P, P_HAT));
    KRYLOV_TRY(krylov_multiply(k, p, V));
    KRYLOV_TRY(krylov_dot(k, R0, V, STEP));
    KRYLOV_TRY(krylov_divide(k, ALPHA, rho, STEP));
    return krylov_add(k, MINUS_ALPHA, V, R);
}

/* Computes t := A M r, x := x + alpha M p + omega M r, and r := r - omega t. */
static tulle_status smooth(const krylov *k, int p, int r) {
    KRYLOV_TRY(krylov_precondition(k, R, S_HAT));
    KRYLOV_TRY(krylov_multiply(k, r, T));
    KRYLOV_TRY(krylov_dot(k, T, R, TS));
    KRYLOV_TRY(krylov_dot(k, T, T, TT));
    KRYLOV_TRY(krylov_divide(k, OMEGA, TS, TT));
    KRYLOV_TRY(krylov_add(k, ALPHA, p, KRYLOV_X));
    KRYLOV_TRY(krylov_add(k, OMEGA, r, KRYLOV_X));
    return krylov_add(k, MINUS_OMEGA, T, R);
}

/* Computes p := r + beta (p - omega v). */
static tulle_status turn(const krylov *k, int next, int rho) {
    KRYLOV_TRY(krylov_dot(k, R0, R, next));
    KRYLOV_TRY(krylov_divide_two(k, BETA, next, rho, ALPHA, OMEGA));
    KRYLOV_TRY(krylov_add(k, MINUS_OMEGA, V, P));
    return krylov_turn(k, BETA, P, KRYLOV_ONE, R);
}

static tulle_status iterate(void *state) {
    bicgstab_task *t = state;
    const krylov *k = &t->k;
    const int p = krylov_preconditioned(k, P, P_HAT), r = krylov_preconditioned(k, R, S_HAT);
    const int rho = t->odd ? OTHER_RHO : RHO, next = t->odd ? RHO : OTHER_RHO;
    t->odd = !t->odd;
    KRYLOV_TRY(take_step(k, p, rho));
    KRYLOV_TRY(smooth(k, p, r));
    return turn(k, next, rho);
}

static const krylov_method method = {.bytes = sizeof(bicgstab_task),
                                     .own = BEHIND - KRYLOV_OWN,
                                     .start = start,
                                     .iterate = iterate,
                                     .residual = R};

KRYLOV_PEER(cusparse_bicgstab_alg1, ALG1, "bicgstab")
KRYLOV_PEER(cusparse_bicgstab_alg1_geam, ALG1_GEAM, "bicgstab")
KRYLOV_PEER(cusparse_bicgstab_alg2, ALG2, "bicgstab")
KRYLOV_PEER(cusparse_bicgstab_alg2_geam, ALG2_GEAM, "bicgstab")

#endif
