/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE, opened at run time; its header gives the types. */
#ifndef BENCH_PEERS_CUSPARSE_LIBRARY_H
#define BENCH_PEERS_CUSPARSE_LIBRARY_H

#include <cusparse.h>

#include "bench/peer.h"

/* Functions of the library, each with the type that the header declares. */
#define CUSPARSE_FUNCTIONS(F)                                                                      \
    F(cusparseCreate)                                                                              \
    F(cusparseDestroy)                                                                             \
    F(cusparseSetStream)                                                                           \
    F(cusparseGetProperty)                                                                         \
    F(cusparseGetErrorString)                                                                      \
    F(cusparseCreateConstCsr)                                                                      \
    F(cusparseCreateConstCoo)                                                                      \
    F(cusparseCreateConstSlicedEll)                                                                \
    F(cusparseCreateConstBsr)                                                                      \
    F(cusparseDestroySpMat)                                                                        \
    F(cusparseCreateConstDnVec)                                                                    \
    F(cusparseCreateDnVec)                                                                         \
    F(cusparseDestroyDnVec)                                                                        \
    F(cusparseSpMV_bufferSize)                                                                     \
    F(cusparseSpMV_preprocess)                                                                     \
    F(cusparseSpMV)

typedef struct cusparse_library {
    void *handle;
#define F(name) __typeof__(&name) name;
    CUSPARSE_FUNCTIONS(F)
#undef F
} cusparse_library;

extern cusparse_library cusparse;

/* Opens the library, once, and says its version. */
tulle_status cusparse_available(char version[BENCH_VERSION]);

/* What a status of the library's means here, with a record of the call. */
tulle_status cusparse_status(cusparseStatus_t status, const char *call);

/* Leaves with the status of a call of the library that fails. */
#define CUSPARSE_TRY(name, ...)                                                                    \
    do {                                                                                           \
        tulle_status status_ = cusparse_status(cusparse.name(__VA_ARGS__), #name);                 \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

#endif
