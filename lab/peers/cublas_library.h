/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS, opened at run time; its header gives the types. */
#ifndef BENCH_PEERS_CUBLAS_LIBRARY_H
#define BENCH_PEERS_CUBLAS_LIBRARY_H

#include <cublas_v2.h>

#include "bench/peer.h"

/* F(name): a function for all types; T(name): cublasS... and cublasD... */
#define CUBLAS_FUNCTIONS(F, T)                                                                     \
    F(cublasCreate_v2)                                                                             \
    F(cublasDestroy_v2)                                                                            \
    F(cublasSetStream_v2)                                                                          \
    F(cublasSetWorkspace_v2)                                                                       \
    F(cublasSetPointerMode_v2)                                                                     \
    F(cublasGetProperty)                                                                           \
    F(cublasGetStatusString)                                                                       \
    F(cublasIsamax_v2)                                                                             \
    F(cublasIdamax_v2)                                                                             \
    T(dot_v2)                                                                                      \
    T(axpy_v2)                                                                                     \
    T(scal_v2)                                                                                     \
    T(copy_v2)                                                                                     \
    T(geam)                                                                                        \
    T(dgmm)                                                                                        \
    T(nrm2_v2)                                                                                     \
    T(gemv_v2)                                                                                     \
    T(gemm_v2)                                                                                     \
    T(gemmStridedBatched)                                                                          \
    T(getrfBatched)                                                                                \
    T(getrsBatched)

typedef struct cublas_library {
    void *handle;
#define F(name) __typeof__(&name) name;
#define T(name) F(cublasS##name) F(cublasD##name)
    CUBLAS_FUNCTIONS(F, T)
#undef T
#undef F
} cublas_library;

extern cublas_library cublas;

/* Opens the library, once, and finds its version. */
tulle_status cublas_available(char version[BENCH_VERSION]);

/* Makes a handle of the library's that works in the context's flow, with scratch from the context's
 * pool, which the caller destroys after the handle. Scalars are on the host, or in the context's
 * memory. */
tulle_status cublas_open(tulle_ctx *ctx, bool host, cublasHandle_t *handle, tulle_vec **scratch);

/* Returns the status of tulle's that a status of the library's stands for, with a record of the
 * call. */
tulle_status cublas_status(cublasStatus_t status, const char *call);

/* Makes the calling function return the status of a call that fails. */
#define CUBLAS_TRY(name, ...)                                                                      \
    do {                                                                                           \
        tulle_status status_ = cublas_status(cublas.name(__VA_ARGS__), #name);                     \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

/* Calls the f32 or the f64 version of a function, whose pointers are passed as void *, and returns
 * its status where it fails. */
#define CUBLAS_TRY_TYPED(type, name, ...)                                                          \
    do {                                                                                           \
        cublasStatus_t code_ = (type) == TULLE_F32 ? cublas.cublasS##name(__VA_ARGS__)             \
                                                   : cublas.cublasD##name(__VA_ARGS__);            \
        tulle_status status_ = cublas_status(code_, #name);                                        \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

#endif
