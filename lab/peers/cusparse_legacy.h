/* SPDX-License-Identifier: Apache-2.0 */
/* The part of cuSPARSE that its maker wants to remove: incomplete factors, triangular solves and
 * products of blocks. A library without it still has the other peers. */
#ifndef BENCH_PEERS_CUSPARSE_LEGACY_H
#define BENCH_PEERS_CUSPARSE_LEGACY_H

#include "lab/peers/cusparse_library.h"

/* F(name): a function for all types; T(name): cusparseS... and cusparseD... */
#define CUSPARSE_LEGACY_FUNCTIONS(F, T)                                                            \
    F(cusparseCreateMatDescr)                                                                      \
    F(cusparseDestroyMatDescr)                                                                     \
    F(cusparseSetMatFillMode)                                                                      \
    F(cusparseSetMatDiagType)                                                                      \
    T(bsrmm)                                                                                       \
    T(bsrmv)                                                                                       \
    F(cusparseCreateBsrsv2Info)                                                                    \
    F(cusparseDestroyBsrsv2Info)                                                                   \
    F(cusparseXbsrsv2_zeroPivot)                                                                   \
    T(bsrsv2_bufferSize)                                                                           \
    T(bsrsv2_analysis)                                                                             \
    T(bsrsv2_solve)                                                                                \
    F(cusparseCreateBsrsm2Info)                                                                    \
    F(cusparseDestroyBsrsm2Info)                                                                   \
    F(cusparseXbsrsm2_zeroPivot)                                                                   \
    T(bsrsm2_bufferSize)                                                                           \
    T(bsrsm2_analysis)                                                                             \
    T(bsrsm2_solve)                                                                                \
    F(cusparseCreateCsrilu02Info)                                                                  \
    F(cusparseDestroyCsrilu02Info)                                                                 \
    F(cusparseXcsrilu02_zeroPivot)                                                                 \
    T(csrilu02_bufferSize)                                                                         \
    T(csrilu02_analysis)                                                                           \
    T(csrilu02)                                                                                    \
    F(cusparseCreateCsric02Info)                                                                   \
    F(cusparseDestroyCsric02Info)                                                                  \
    F(cusparseXcsric02_zeroPivot)                                                                  \
    T(csric02_bufferSize)                                                                          \
    T(csric02_analysis)                                                                            \
    T(csric02)                                                                                     \
    F(cusparseCreateBsrilu02Info)                                                                  \
    F(cusparseDestroyBsrilu02Info)                                                                 \
    F(cusparseXbsrilu02_zeroPivot)                                                                 \
    T(bsrilu02_bufferSize)                                                                         \
    T(bsrilu02_analysis)                                                                           \
    T(bsrilu02)

typedef struct cusparse_legacy_library {
    bool loaded;
#define F(name) __typeof__(&name) name;
#define T(name) F(cusparseS##name) F(cusparseD##name)
    CUSPARSE_LEGACY_FUNCTIONS(F, T)
#undef T
#undef F
} cusparse_legacy_library;

extern cusparse_legacy_library cusparse_legacy;

/* Opens the library as cusparse_available does, and finds its version. */
tulle_status cusparse_legacy_available(char version[BENCH_VERSION]);

/* The matrix A in the form that the functions take: CSR, or BSR whose blocks lie by row, with
 * 32-bit indices. */
typedef struct cusparse_legacy_matrix {
    cusparseMatDescr_t descriptor;
    tulle_type type;
    /* block rows, block columns, blocks, and rows of a block; for CSR, rows, columns, entries, and
     * 1 */
    int rows, cols, nnz, block;
    const int *offsets, *columns;
    void *values; /* nnz blocks; functions only read them unless they say otherwise */
} cusparse_legacy_matrix;

/* Describes the problem's matrix. Fails with TULLE_UNSUPPORTED where it has 64-bit indices, or a
 * block that is cut off at the edge: such a block is singular, or reaches beyond the vectors, for a
 * library that does not know of the edge. The caller destroys the descriptor. */
tulle_status cusparse_legacy_describe(const trial_problem *problem, cusparse_legacy_matrix *A);

/* Takes the result of a zeroPivot function: the row (block row) that has no pivot, or a zero. */
tulle_status cusparse_legacy_pivot(cusparseStatus_t status, int position, const char *call);

/* Makes the calling function return the status of a call that fails. */
#define CUSPARSE_LEGACY_TRY(name, ...)                                                             \
    do {                                                                                           \
        tulle_status status_ = cusparse_status(cusparse_legacy.name(__VA_ARGS__), #name);          \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

/* Calls the f32 or the f64 version of a function, whose arguments are passed as void *, and returns
 * its status where it fails. */
#define CUSPARSE_LEGACY_TRY_TYPED(type, name, ...)                                                 \
    do {                                                                                           \
        cusparseStatus_t code_ = (type) == TULLE_F32                                               \
                                     ? cusparse_legacy.cusparseS##name(__VA_ARGS__)                \
                                     : cusparse_legacy.cusparseD##name(__VA_ARGS__);               \
        tulle_status status_ = cusparse_status(code_, #name);                                      \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

#endif
