/* SPDX-License-Identifier: Apache-2.0 */
/* Restarted GMRES of cuSPARSE and cuBLAS, preconditioned from the right. A cycle is a CUDA graph;
 * the small problem is solved on the host when the cycle is over. A new vector is made orthogonal
 * by the classical Gram-Schmidt method, once or twice. */
#if defined(TULLE_PEER_CUSPARSE) && defined(TULLE_PEER_CUBLAS)
#include <math.h>
#include <string.h>

#include "lab/peers/krylov.h"
#include "lab/peers/peers.h"

enum { MOST = TRIAL_SOLVE_RESTART };

/* Numbers of vectors: the basis, M times a vector of the basis, and A x or the correction of x. */
enum { V = KRYLOV_OWN, HAT = V + MOST + 1, SUM, BEHIND };
enum { NORM = KRYLOV_OWN_SCALARS, INVERSE };

/* Numbers on the device: components of each new vector, the first and the second time, its norm,
 * and that of the residual; then those by which the basis is combined. */
enum {
    FIRST = 0,
    AGAIN = FIRST + MOST * MOST,
    NORMS = AGAIN + MOST * MOST,
    START = NORMS + MOST,
    COMBINED,
    NUMBERS = COMBINED + MOST
};

static const krylov_way ways[] = {{CUSPARSE_SPMV_CSR_ALG1, .once = false},
                                  {CUSPARSE_SPMV_CSR_ALG1, .once = true},
                                  {CUSPARSE_SPMV_CSR_ALG2, .once = false},
                                  {CUSPARSE_SPMV_CSR_ALG2, .once = true}};
enum { ALG1, ALG1_ONCE, ALG2, ALG2_ONCE };

typedef struct gmres_task {
    krylov k;
    tulle_vec *basis, *numbers;
    int64_t ld;
    char *number; /* address of these numbers */
    int j;        /* number of the next iteration in its cycle */
    double host[NUMBERS];
    float narrow[NUMBERS];
} gmres_task;

static void *number(const gmres_task *t, int i) {
    return t->number + i * tulle_type_size(t->k.type);
}

/* Computes w := w - V V' w for the vectors before w, and keeps the components. */
static tulle_status make_orthogonal(const gmres_task *t, int first) {
    const krylov *k = &t->k;
    const int count = t->j + 1, ld = (int)t->ld, w = V + count;
    void *h = number(t, first + t->j * MOST);
    CUBLAS_TRY_TYPED(k->type, gemv_v2, k->dense, CUBLAS_OP_T, k->n, count,
                     krylov_scalar(k, KRYLOV_ONE), k->data[V], ld, k->data[w], 1,
                     krylov_scalar(k, KRYLOV_ZERO), h, 1);
    CUBLAS_TRY_TYPED(k->type, gemv_v2, k->dense, CUBLAS_OP_N, k->n, count,
                     krylov_scalar(k, KRYLOV_MINUS_ONE), k->data[V], ld, h, 1,
                     krylov_scalar(k, KRYLOV_ONE), k->data[w], 1);
    return TULLE_OK;
}

/* Keeps the vector's norm, and gives the vector length 1. */
static tulle_status normalise(const gmres_task *t, int vector, int kept) {
    const krylov *k = &t->k;
    CUBLAS_TRY_TYPED(k->type, nrm2_v2, k->dense, k->n, k->data[vector], 1, krylov_scalar(k, NORM));
    CUBLAS_TRY_TYPED(k->type, copy_v2, k->dense, 1, krylov_scalar(k, NORM), 1, number(t, kept), 1);
    KRYLOV_TRY(krylov_divide(k, INVERSE, KRYLOV_ONE, NORM));
    return krylov_scale(k, INVERSE, vector);
}

static tulle_status iterate(void *state) {
    gmres_task *t = state;
    const krylov *k = &t->k;
    const int v = V + t->j, w = v + 1;
    KRYLOV_TRY(krylov_precondition(k, v, HAT));
    KRYLOV_TRY(krylov_multiply(k, krylov_preconditioned(k, v, HAT), w));
    KRYLOV_TRY(make_orthogonal(t, FIRST));
    if (!k->way.once) KRYLOV_TRY(make_orthogonal(t, AGAIN));
    KRYLOV_TRY(normalise(t, w, NORMS + t->j));
    t->j++;
    return TULLE_OK;
}

static tulle_status start(void *state) {
    gmres_task *t = state;
    const krylov *k = &t->k;
    t->j = 0;
    KRYLOV_TRY(tulle_vec_fill(k->problem->ctx, k->problem->y, 0));
    KRYLOV_TRY(krylov_copy(k, KRYLOV_B, V));
    return normalise(t, V, START);
}

/* Takes column j of the Hessenberg matrix, with the earlier rotations applied. */
static void take_column(const gmres_task *t, int j, const double *c, const double *s,
                        double h[MOST + 1]) {
    for (int i = 0; i <= j; i++) {
        h[i] = t->host[FIRST + j * MOST + i] + t->host[AGAIN + j * MOST + i];
    }
    h[j + 1] = t->host[NORMS + j];
    for (int i = 0; i < j; i++) {
        const double above = h[i];
        h[i] = c[i] * above + s[i] * h[i + 1];
        h[i + 1] = c[i] * h[i + 1] - s[i] * above;
    }
}

/* Solves the small problem by Givens' rotations, as Y. Saad and M. H. Schultz 1986. */
static void solve_small(gmres_task *t) {
    double R[MOST][MOST], g[MOST + 1] = {t->host[START]}, c[MOST], s[MOST], h[MOST + 1];
    for (int j = 0; j < MOST; j++) {
        take_column(t, j, c, s, h);
        const double length = hypot(h[j], h[j + 1]);
        c[j] = length > 0 ? h[j] / length : 1;
        s[j] = length > 0 ? h[j + 1] / length : 0;
        h[j] = length;
        memcpy(R[j], h, sizeof R[j]);
        g[j + 1] = -s[j] * g[j];
        g[j] = c[j] * g[j];
    }
    for (int i = MOST - 1; i >= 0; i--) {
        double rest = g[i];
        for (int j = i + 1; j < MOST; j++) rest -= R[j][i] * t->host[COMBINED + j];
        t->host[COMBINED + i] = rest / R[i][i];
    }
}

static tulle_status read_numbers(gmres_task *t) {
    const krylov *k = &t->k;
    if (k->type == TULLE_F64) return tulle_vec_read(k->problem->ctx, t->numbers, t->host, 0);
    KRYLOV_TRY(tulle_vec_read(k->problem->ctx, t->numbers, t->narrow, 0));
    for (int i = 0; i < NUMBERS; i++) t->host[i] = (double)t->narrow[i];
    return TULLE_OK;
}

static tulle_status write_numbers(gmres_task *t) {
    const krylov *k = &t->k;
    for (int i = 0; i < NUMBERS; i++) t->narrow[i] = (float)t->host[i];
    const void *from = k->type == TULLE_F64 ? (const void *)t->host : t->narrow;
    return tulle_vec_write(k->problem->ctx, t->numbers, from, 0);
}

/* Computes x := x + M V y, and the first vector of the next basis. */
static tulle_status end_cycle(void *state) {
    gmres_task *t = state;
    const krylov *k = &t->k;
    KRYLOV_TRY(read_numbers(t));
    solve_small(t);
    KRYLOV_TRY(write_numbers(t));
    CUBLAS_TRY_TYPED(k->type, gemv_v2, k->dense, CUBLAS_OP_N, k->n, MOST,
                     krylov_scalar(k, KRYLOV_ONE), k->data[V], (int)t->ld, number(t, COMBINED), 1,
                     krylov_scalar(k, KRYLOV_ZERO), k->data[SUM], 1);
    KRYLOV_TRY(krylov_precondition(k, SUM, HAT));
    KRYLOV_TRY(krylov_add(k, KRYLOV_ONE, krylov_preconditioned(k, SUM, HAT), KRYLOV_X));
    KRYLOV_TRY(krylov_multiply(k, KRYLOV_X, SUM));
    KRYLOV_TRY(krylov_copy(k, KRYLOV_B, V));
    KRYLOV_TRY(krylov_add(k, KRYLOV_MINUS_ONE, SUM, V));
    return normalise(t, V, START);
}

static void release(void *state) {
    gmres_task *t = state;
    tulle_vec_destroy(t->basis);
    tulle_vec_destroy(t->numbers);
}

static tulle_status make_numbers(gmres_task *t) {
    const krylov *k = &t->k;
    tulle_vec_info info;
    KRYLOV_TRY(tulle_vec_create(k->problem->ctx, k->type, NUMBERS, &t->numbers));
    KRYLOV_TRY(tulle_vec_fill(k->problem->ctx, t->numbers, 0));
    KRYLOV_TRY(tulle_vec_describe(t->numbers, &info));
    t->number = info.data;
    KRYLOV_TRY(tulle_vec_describe(t->basis, &info));
    t->ld = info.ld;
    return TULLE_OK;
}

static tulle_status make(void *state, trial_task *prepared) {
    gmres_task *t = state;
    KRYLOV_TRY(krylov_make_basis(&t->k, V, BEHIND - V, &t->basis));
    KRYLOV_TRY(make_numbers(t));
    prepared->extra_bytes += t->ld * (BEHIND - V) * tulle_type_size(t->k.type);
    return TULLE_OK;
}

static const krylov_method method = {.bytes = sizeof(gmres_task),
                                     .make = make,
                                     .release = release,
                                     .start = start,
                                     .iterate = iterate,
                                     .end_cycle = end_cycle,
                                     .residual = V,
                                     .cycle = MOST};

KRYLOV_PEER(cusparse_gmres_alg1, ALG1, "gmres")
KRYLOV_PEER(cusparse_gmres_alg1_once, ALG1_ONCE, "gmres")
KRYLOV_PEER(cusparse_gmres_alg2, ALG2, "gmres")
KRYLOV_PEER(cusparse_gmres_alg2_once, ALG2_ONCE, "gmres")

#endif
