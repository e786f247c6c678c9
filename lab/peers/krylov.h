/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative methods as a user of cuSPARSE and cuBLAS writes them: vectors and scalars on the
 * device, iterations captured in a CUDA graph. */
#ifndef BENCH_PEERS_KRYLOV_H
#define BENCH_PEERS_KRYLOV_H

#include "bench/graph.h"
#include "lab/peers/cublas_library.h"
#include "lab/peers/cuda_divide.h"
#include "lab/peers/cusparse_library.h"
#include "lab/peers/krylov_ilu.h"
#include "trials/solve.h"

/* Vectors have numbers: the problem's b and x, the vector by which its preconditioner multiplies,
 * and a method's own. */
enum { KRYLOV_B, KRYLOV_X, KRYLOV_DIAGONAL, KRYLOV_OWN, KRYLOV_VECTORS = 48 };

/* Scalars have numbers. */
enum { KRYLOV_ZERO, KRYLOV_ONE, KRYLOV_MINUS_ONE, KRYLOV_OWN_SCALARS, KRYLOV_SCALARS = 16 };

/* Settings in which algorithms of one method differ. */
typedef struct krylov_way {
    cusparseSpMVAlg_t algorithm;  /* algorithm of products with A, which are preprocessed */
    bool geam;                    /* vectors are added by geam, else by scal and axpy */
    bool once;                    /* GMRES makes a vector orthogonal once, else twice */
    cusparseSolvePolicy_t policy; /* policy of csrilu02 */
} krylov_way;

typedef struct krylov_method krylov_method;

typedef struct krylov {
    const trial_problem *problem;
    const krylov_method *method;
    krylov_way way;
    tulle_type type;
    int n;
    cusparseHandle_t sparse;
    cublasHandle_t dense;
    cuda_divide divide;
    cusparseConstSpMatDescr_t A;
    cusparse_scalar one, zero; /* scalars on the host */
    tulle_vec *vector[KRYLOV_VECTORS];
    cusparseDnVecDescr_t descriptor[KRYLOV_VECTORS];
    void *data[KRYLOV_VECTORS];
    tulle_vec *scalars, *sparse_scratch, *dense_scratch;
    char *scalar;
    void *buffer;
    krylov_ilu ilu;
    bench_graph graph;
    int64_t iterations, calls; /* iterations in all, and in the graph; calls 0: there is no graph */
} krylov;

/* A method, as its file describes it. Its task, which all these functions are called with, begins
 * with a krylov. */
struct krylov_method {
    size_t bytes; /* bytes of the task */
    int own;      /* number of vectors beside the problem's, a basis not counted */
    /* makes further data of the method; NULL: there are none */
    tulle_status (*make)(void *task, trial_task *prepared);
    /* frees the further data, also after a failure */
    void (*release)(void *task);
    tool_call start, iterate;
    tool_call end_cycle; /* ends a cycle of a method with cycles */
    int residual;        /* number of the vector with the residual, whose sign does not matter */
    /* length of a cycle, whose iterations differ; 0: all iterations are alike */
    int cycle;
};

/* Functions that the peers of a method are made of: krylov_peer.c. */
tulle_status krylov_prepare(const krylov_method *method, const krylov_way *way,
                            const trial_problem *problem, trial_task *task);
tulle_status krylov_run(void *task);
void krylov_finish(void *task);

/* Defines a peer of the file's own `method`, in way number `number` of its `ways`. */
#define KRYLOV_PEER(algorithm_name, number, operation)                                             \
    static tulle_status prepare_##algorithm_name(const bench_peer *peer,                           \
                                                 const trial_problem *problem, trial_task *task) { \
        return krylov_prepare(&method, &ways[peer->variant], problem, task);                       \
    }                                                                                              \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = number,                                                                         \
        .op = operation,                                                                           \
        .available = krylov_available,                                                             \
        .prepare = prepare_##algorithm_name,                                                       \
        .run = krylov_run,                                                                         \
        .close = krylov_finish,                                                                    \
    };

/* Opens a method for a problem in CSR, with so many vectors of the method's own; notes the time of
 * cuSPARSE's part of the preparation. To be closed also after a failure. Fails with
 * TULLE_UNSUPPORTED where cuSPARSE cannot take the problem. */
tulle_status krylov_open(const trial_problem *problem, krylov_way way, int own, krylov *k,
                         trial_task *task);
void krylov_close(krylov *k);

/* Makes vectors `first` and so on the columns of one array, which is returned. */
tulle_status krylov_make_basis(krylov *k, int first, int count, tulle_vec **basis);

/* The first computes to := A from; the second, to := the preconditioner times from. */
tulle_status krylov_multiply(const krylov *k, int from, int to);
tulle_status krylov_precondition(const krylov *k, int from, int to);

/* Returns the number of the vector that krylov_precondition leaves its result in, which is `from`
 * where there is no preconditioner. */
static inline int krylov_preconditioned(const krylov *k, int from, int to) {
    return k->problem->detail == TRIAL_SOLVE_NONE ? from : to;
}

/* Returns the address of a scalar in device memory. */
void *krylov_scalar(const krylov *k, int s);

/* These functions compute with numbered vectors and scalars: s := (x, y); s := a / b, or (a / b) (c
 * / d), and s + 1 := -s; y := y + s x; x := s x; y := s y + t x; y := x. */
tulle_status krylov_dot(const krylov *k, int x, int y, int s);
tulle_status krylov_divide(const krylov *k, int s, int a, int b);
tulle_status krylov_divide_two(const krylov *k, int s, int a, int b, int c, int d);
tulle_status krylov_add(const krylov *k, int s, int x, int y);
tulle_status krylov_scale(const krylov *k, int s, int x);
tulle_status krylov_turn(const krylov *k, int s, int y, int t, int x);
tulle_status krylov_copy(const krylov *k, int x, int y);

/* Opens cuSPARSE and cuBLAS, and finds the version of both. */
tulle_status krylov_available(char version[BENCH_VERSION]);

/* Makes the calling function return the status of a call that fails. */
#define KRYLOV_TRY(call)                                                                           \
    do {                                                                                           \
        tulle_status status_ = call;                                                               \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

#endif
