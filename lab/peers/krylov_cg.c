/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients of cuSPARSE and cuBLAS. In place of the residual there is s = A x - b, so
 * that x and s take the same step alpha, and nothing is negated on the device. */
#if defined(TULLE_PEER_CUSPARSE) && defined(TULLE_PEER_CUBLAS)
#include "lab/peers/krylov.h"
#include "lab/peers/peers.h"

enum { S = KRYLOV_OWN, P, Q, Z, BEHIND };
enum { CURVATURE = KRYLOV_OWN_SCALARS, RHO, OTHER_RHO, ALPHA, BETA = ALPHA + 2 };

static const krylov_way ways[] = {
    {CUSPARSE_SPMV_CSR_ALG1, .geam = false, .policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL},
    {CUSPARSE_SPMV_CSR_ALG1, .geam = true, .policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL},
    {CUSPARSE_SPMV_CSR_ALG2, .geam = false, .policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL},
    {CUSPARSE_SPMV_CSR_ALG2, .geam = true, .policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL}};
enum { ALG1, ALG1_GEAM, ALG2, ALG2_GEAM };

typedef struct cg_task {
    krylov k;
    bool odd; /* the next iteration is an odd one, which decides which (s, z) is the old one */
} cg_task;

static tulle_status start(void *state) {
    cg_task *t = state;
    const krylov *k = &t->k;
    const int z = krylov_preconditioned(k, S, Z);
    t->odd = false;
    KRYLOV_TRY(tulle_vec_fill(k->problem->ctx, k->problem->y, 0));
    KRYLOV_TRY(krylov_copy(k, KRYLOV_B, S));
    KRYLOV_TRY(krylov_scale(k, KRYLOV_MINUS_ONE, S));
    KRYLOV_TRY(krylov_precondition(k, S, Z));
    KRYLOV_TRY(krylov_copy(k, z, P));
    KRYLOV_TRY(krylov_scale(k, KRYLOV_MINUS_ONE, P));
    return krylov_dot(k, S, z, RHO);
}

static tulle_status iterate(void *state) {
    cg_task *t = state;
    const krylov *k = &t->k;
    const int z = krylov_preconditioned(k, S, Z);
    const int rho = t->odd ? OTHER_RHO : RHO, next = t->odd ? RHO : OTHER_RHO;
    t->odd = !t->odd;
    KRYLOV_TRY(krylov_multiply(k, P, Q));
    KRYLOV_TRY(krylov_dot(k, P, Q, CURVATURE));
    KRYLOV_TRY(krylov_divide(k, ALPHA, rho, CURVATURE));
    KRYLOV_TRY(krylov_add(k, ALPHA, P, KRYLOV_X));
    KRYLOV_TRY(krylov_add(k, ALPHA, Q, S));
    KRYLOV_TRY(krylov_precondition(k, S, Z));
    KRYLOV_TRY(krylov_dot(k, S, z, next));
    KRYLOV_TRY(krylov_divide(k, BETA, next, rho));
    return krylov_turn(k, BETA, P, KRYLOV_MINUS_ONE, z);
}

static const krylov_method method = {.bytes = sizeof(cg_task),
                                     .own = BEHIND - KRYLOV_OWN,
                                     .start = start,
                                     .iterate = iterate,
                                     .residual = S};

KRYLOV_PEER(cusparse_cg_alg1, ALG1, "cg")
KRYLOV_PEER(cusparse_cg_alg1_geam, ALG1_GEAM, "cg")
KRYLOV_PEER(cusparse_cg_alg2, ALG2, "cg")
KRYLOV_PEER(cusparse_cg_alg2_geam, ALG2_GEAM, "cg")

#endif
