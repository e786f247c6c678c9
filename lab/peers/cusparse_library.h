/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE, opened at run time; its header gives the types. */
#ifndef BENCH_PEERS_CUSPARSE_LIBRARY_H
#define BENCH_PEERS_CUSPARSE_LIBRARY_H

/* Functions that the library is going to remove are measured as long as they exist. */
#define DISABLE_CUSPARSE_DEPRECATED
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
    F(cusparseSpMV)                                                                                \
    F(cusparseCreateConstDnMat)                                                                    \
    F(cusparseCreateDnMat)                                                                         \
    F(cusparseDestroyDnMat)                                                                        \
    F(cusparseSpMM_bufferSize)                                                                     \
    F(cusparseSpMM_preprocess)                                                                     \
    F(cusparseSpMM)                                                                                \
    F(cusparseCreateCsr)                                                                           \
    F(cusparseCsrSetPointers)                                                                      \
    F(cusparseSpMatGetSize)                                                                        \
    F(cusparseSpGEMM_createDescr)                                                                  \
    F(cusparseSpGEMM_destroyDescr)                                                                 \
    F(cusparseSpGEMM_workEstimation)                                                               \
    F(cusparseSpGEMM_estimateMemory)                                                               \
    F(cusparseSpGEMM_compute)                                                                      \
    F(cusparseSpGEMM_copy)                                                                         \
    F(cusparseSpGEMMreuse_workEstimation)                                                          \
    F(cusparseSpGEMMreuse_nnz)                                                                     \
    F(cusparseSpGEMMreuse_copy)                                                                    \
    F(cusparseSpGEMMreuse_compute)                                                                 \
    F(cusparseCsr2cscEx2_bufferSize)                                                               \
    F(cusparseCsr2cscEx2)                                                                          \
    F(cusparseCreateMatDescr)                                                                      \
    F(cusparseDestroyMatDescr)                                                                     \
    F(cusparseScsrgeam2_bufferSizeExt)                                                             \
    F(cusparseDcsrgeam2_bufferSizeExt)                                                             \
    F(cusparseXcsrgeam2Nnz)                                                                        \
    F(cusparseScsrgeam2)                                                                           \
    F(cusparseDcsrgeam2)                                                                           \
    F(cusparseSpMatSetAttribute)                                                                   \
    F(cusparseSpSV_createDescr)                                                                    \
    F(cusparseSpSV_destroyDescr)                                                                   \
    F(cusparseSpSV_bufferSize)                                                                     \
    F(cusparseSpSV_analysis)                                                                       \
    F(cusparseSpSV_solve)                                                                          \
    F(cusparseSpSM_createDescr)                                                                    \
    F(cusparseSpSM_destroyDescr)                                                                   \
    F(cusparseSpSM_bufferSize)                                                                     \
    F(cusparseSpSM_analysis)                                                                       \
    F(cusparseSpSM_solve)

typedef struct cusparse_library {
    void *handle;
#define F(name) __typeof__(&name) name;
    CUSPARSE_FUNCTIONS(F)
#undef F
} cusparse_library;

extern cusparse_library cusparse;

/* Opens the library, once, and finds its version. */
tulle_status cusparse_available(char version[BENCH_VERSION]);

/* A scalar operand in the type of the product. */
typedef union cusparse_scalar {
    float f32;
    double f64;
} cusparse_scalar;
cusparse_scalar cusparse_number(tulle_type type, double number);

cudaDataType cusparse_type(tulle_type type);
cusparseIndexType_t cusparse_index(int64_t bytes);
cusparseOperation_t cusparse_operation(tulle_trans op);

/* Makes a handle of the library's that works in the context's flow. */
tulle_status cusparse_open(const tulle_ctx *ctx, cusparseHandle_t *handle);

/* Describes the arrays of a matrix in CSR. */
tulle_status cusparse_describe_csr(const tulle_mat *A, cusparseConstSpMatDescr_t *descriptor);

/* Describes the arrays of a matrix in BSR. Fails with TULLE_UNSUPPORTED where a block is cut off at
 * the edge; the library takes whole blocks alone. */
tulle_status cusparse_describe_bsr(const tulle_mat *A, cusparseConstSpMatDescr_t *descriptor);

/* Describes the arrays of a triangle of a matrix, whose other entries are not read. */
tulle_status cusparse_describe_triangle(const tulle_mat *A, tulle_part part,
                                        cusparseSpMatDescr_t *descriptor);

/* Describes the arrays of a multivector; X is only read. */
tulle_status cusparse_describe_input(const tulle_vec *X, cusparseConstDnMatDescr_t *descriptor);
tulle_status cusparse_describe_output(const tulle_vec *Y, cusparseDnMatDescr_t *descriptor);

/* Takes scratch from the context's pool: `buffer` lies in `scratch`, which the caller destroys. */
tulle_status cusparse_scratch(tulle_ctx *ctx, size_t bytes, tulle_vec **scratch, void **buffer);

/* Returns the status of tulle's that a status of the library's stands for, with a record of the
 * call. */
tulle_status cusparse_status(cusparseStatus_t status, const char *call);

/* Makes the calling function return the status of a call of the library that fails. */
#define CUSPARSE_TRY(name, ...)                                                                    \
    do {                                                                                           \
        tulle_status status_ = cusparse_status(cusparse.name(__VA_ARGS__), #name);                 \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

#endif
