/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative methods as a user of cuSPARSE and cuBLAS writes them: vectors and scalars on the
 * device, iterations captured in a CUDA graph. */
#ifndef BENCH_PEERS_KRYLOV_H
#define BENCH_PEERS_KRYLOV_H

#include "bench/graph.h"
#include "bench/peers/cublas_library.h"
#include "bench/peers/cuda_divide.h"
#include "bench/peers/cusparse_library.h"
#include "bench/peers/krylov_ilu.h"
#include "bench/solve.h"

/* Vectors by number: the problem's b and x, that by which its preconditioner multiplies, and a
 * method's own. */
enum { KRYLOV_B, KRYLOV_X, KRYLOV_DIAGONAL, KRYLOV_OWN, KRYLOV_VECTORS = 48 };

/* Scalars by number. */
enum { KRYLOV_ZERO, KRYLOV_ONE, KRYLOV_MINUS_ONE, KRYLOV_OWN_SCALARS, KRYLOV_SCALARS = 16 };

/* How an algorithm differs from others. */
typedef struct krylov_way {
    cusparseSpMVAlg_t algorithm;  /* preprocessed */
    bool geam;                    /* two vectors are added by geam, else by scal and axpy */
    bool once;                    /* GMRES: a vector is made orthogonal once, else twice */
    cusparseSolvePolicy_t policy; /* of csrilu02 */
} krylov_way;

typedef struct krylov {
    const bench_problem *problem;
    krylov_way way;
    tulle_type type;
    int n;
    cusparseHandle_t sparse;
    cublasHandle_t dense;
    cuda_divide divide;
    cusparseConstSpMatDescr_t A;
    cusparse_scalar one, zero; /* on the host */
    tulle_dense *vector[KRYLOV_VECTORS];
    cusparseDnVecDescr_t descriptor[KRYLOV_VECTORS];
    void *data[KRYLOV_VECTORS];
    tulle_dense *scalars, *sparse_scratch, *dense_scratch;
    char *scalar;
    void *buffer;
    krylov_ilu ilu;
    bench_graph graph;
    int64_t iterations, calls; /* in all, and those of the graph; calls 0: there is no graph */
    tool_call iterate;
    void *user;
} krylov;

/* For a problem in CSR, with so many vectors of the method's own; says what cuSPARSE's part of the
 * preparation takes. It is closed also after a failure. TULLE_UNSUPPORTED: not this problem. */
tulle_status krylov_open(const bench_problem *problem, krylov_way way, int own, krylov *k,
                         bench_task *task);
void krylov_close(krylov *k);

/* Of a method: how it starts, its iteration, what is handed to both, and its residual, whose sign
 * does not matter. */
typedef struct krylov_method {
    tool_call start, iterate;
    void *user;
    int residual;
    int cycle; /* iterations that differ, before they begin anew; 0: they do not */
} krylov_method;

/* Makes vectors `first` and so on the columns of one array, which is returned. */
tulle_status krylov_make_basis(krylov *k, int first, int count, tulle_dense **basis);

/* Captures iterations; with ILU(0), after the tolerance's number of them was found out. */
tulle_status krylov_capture(krylov *k, const krylov_method *method, bench_task *task);
/* All iterations; or, of a method with cycles, one cycle. */
tulle_status krylov_launch(const krylov *k);

/* to := A from; to := the preconditioner times from. */
tulle_status krylov_multiply(const krylov *k, int from, int to);
tulle_status krylov_precondition(const krylov *k, int from, int to);

/* The vector that krylov_precondition leaves, which is the same one where there is none. */
static inline int krylov_preconditioned(const krylov *k, int from, int to) {
    return k->problem->detail == BENCH_SOLVE_NONE ? from : to;
}

/* A scalar in device memory. */
void *krylov_scalar(const krylov *k, int s);

/* Of vectors and scalars by number: s := (x, y); s := a / b, or (a / b) (c / d), and s + 1 := -s;
 * y := y + s x; x := s x; y := s y + t x; y := x. */
tulle_status krylov_dot(const krylov *k, int x, int y, int s);
tulle_status krylov_divide(const krylov *k, int s, int a, int b);
tulle_status krylov_divide_two(const krylov *k, int s, int a, int b, int c, int d);
tulle_status krylov_add(const krylov *k, int s, int x, int y);
tulle_status krylov_scale(const krylov *k, int s, int x);
tulle_status krylov_turn(const krylov *k, int s, int y, int t, int x);
tulle_status krylov_copy(const krylov *k, int x, int y);

/* Of both libraries. */
tulle_status krylov_available(char version[BENCH_VERSION]);

/* Leaves with the status of a call that fails. */
#define KRYLOV_TRY(call)                                                                           \
    do {                                                                                           \
        tulle_status status_ = call;                                                               \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

#endif
