/* SPDX-License-Identifier: Apache-2.0 */
/* cuSOLVER's dense functions, opened at run time; its header gives the types. */
#ifndef BENCH_PEERS_CUSOLVER_LIBRARY_H
#define BENCH_PEERS_CUSOLVER_LIBRARY_H

#include <cusolverDn.h>

#include "bench/peer.h"

/* F(name): a function for all types; T(name): cusolverDnS... and cusolverDnD... */
#define CUSOLVER_FUNCTIONS(F, T)                                                                   \
    F(cusolverGetProperty)                                                                         \
    F(cusolverDnCreate)                                                                            \
    F(cusolverDnDestroy)                                                                           \
    F(cusolverDnSetStream)                                                                         \
    T(geqrf_bufferSize)                                                                            \
    T(geqrf)                                                                                       \
    T(orgqr_bufferSize)                                                                            \
    T(orgqr)

typedef struct cusolver_library {
    void *handle;
#define F(name) __typeof__(&name) name;
#define T(name) F(cusolverDnS##name) F(cusolverDnD##name)
    CUSOLVER_FUNCTIONS(F, T)
#undef T
#undef F
} cusolver_library;

extern cusolver_library cusolver;

/* Opens the library, once, and finds its version. */
tulle_status cusolver_available(char version[BENCH_VERSION]);

/* Returns the status of tulle's that a status of the library's stands for, with a record of the
 * call. */
tulle_status cusolver_status(cusolverStatus_t status, const char *call);

/* Makes the calling function return the status of a call that fails. */
#define CUSOLVER_TRY(name, ...)                                                                    \
    do {                                                                                           \
        tulle_status status_ = cusolver_status(cusolver.name(__VA_ARGS__), #name);                 \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

/* Calls the f32 or the f64 version of a function, whose pointers are passed as void *, and returns
 * its status where it fails. */
#define CUSOLVER_TRY_TYPED(type, name, ...)                                                        \
    do {                                                                                           \
        cusolverStatus_t code_ = (type) == TULLE_F32 ? cusolver.cusolverDnS##name(__VA_ARGS__)     \
                                                     : cusolver.cusolverDnD##name(__VA_ARGS__);    \
        tulle_status status_ = cusolver_status(code_, #name);                                      \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

#endif
