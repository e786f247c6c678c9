/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients of cuSPARSE and cuBLAS. In place of the residual there is s = A x - b, so
 * that x and s take the same step alpha, and nothing is negated on the device. */
#if defined(TULLE_PEER_CUSPARSE) && defined(TULLE_PEER_CUBLAS)
#include <stdlib.h>

#include "bench/peers.h"
#include "bench/peers/krylov.h"
#include "tools/common/error.h"

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
    bool odd; /* of the next iteration: which (s, z) is the old one */
} cg_task;

static tulle_status start(void *state) {
    cg_task *t = state;
    const krylov *k = &t->k;
    const int z = krylov_preconditioned(k, S, Z);
    t->odd = false;
    KRYLOV_TRY(tulle_dense_fill(k->problem->ctx, k->problem->y, 0));
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

static void close_task(void *state) {
    cg_task *t = state;
    krylov_close(&t->k);
    free(t);
}

static tulle_status open_task(const bench_peer *peer, const bench_problem *problem, cg_task *t,
                              bench_task *task) {
    const krylov_method method = {.start = start, .iterate = iterate, .user = t, .residual = S};
    KRYLOV_TRY(krylov_open(problem, ways[peer->variant], BEHIND - KRYLOV_OWN, &t->k, task));
    return krylov_capture(&t->k, &method, task);
}

static tulle_status prepare(const bench_peer *peer, const bench_problem *problem,
                            bench_task *task) {
    cg_task *t = tool_alloc(1, sizeof *t);
    *task = (bench_task){.state = t};
    tulle_status status = open_task(peer, problem, t, task);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    cg_task *t = state;
    KRYLOV_TRY(start(t));
    return krylov_launch(&t->k);
}

#define PEER(algorithm_name, number)                                                               \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = number,                                                                         \
        .acts = "cg",                                                                              \
        .available = krylov_available,                                                             \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_cg_alg1, ALG1)
PEER(cusparse_cg_alg1_geam, ALG1_GEAM)
PEER(cusparse_cg_alg2, ALG2)
PEER(cusparse_cg_alg2_geam, ALG2_GEAM)

#endif
