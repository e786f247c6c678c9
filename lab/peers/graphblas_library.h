/* SPDX-License-Identifier: Apache-2.0 */
/* SuiteSparse:GraphBLAS, opened at run time. The declarations here are those of its user guide, so
 * that no header of the library's is needed. */
#ifndef BENCH_PEERS_GRAPHBLAS_LIBRARY_H
#define BENCH_PEERS_GRAPHBLAS_LIBRARY_H

#include <stdint.h>

#include "bench/peer.h"

typedef struct graphblas_object graphblas_object; /* types, semirings and matrices alike */

enum {
    GRAPHBLAS_OK = 0,
    GRAPHBLAS_NO_MEMORY = -102,
    GRAPHBLAS_BLOCKING = 1, /* nothing is left pending: C's columns are sorted in the call */
    GRAPHBLAS_CSR = 0,
    GRAPHBLAS_THREADS = 5,
    GRAPHBLAS_VERSION = 9
};

/* F(name, (arguments)) */
#define GRAPHBLAS_FUNCTIONS(F)                                                                     \
    F(GxB_init, (int mode, void *(*allocate)(size_t), void *(*zeroed)(size_t, size_t),             \
                 void *(*resize)(void *, size_t), void (*release)(void *)))                        \
    F(GxB_Global_Option_set, (int option, ...))                                                    \
    F(GxB_Global_Option_get, (int option, ...))                                                    \
    F(GrB_Matrix_new,                                                                              \
      (graphblas_object * *A, const graphblas_object *type, uint64_t rows, uint64_t cols))         \
    F(GrB_Matrix_free, (graphblas_object * *A))                                                    \
    F(GrB_Matrix_import_FP32,                                                                      \
      (graphblas_object * *A, const graphblas_object *type, uint64_t rows, uint64_t cols,          \
       const uint64_t *offsets, const uint64_t *columns, const float *values,                      \
       uint64_t offset_count, uint64_t column_count, uint64_t value_count, int format))            \
    F(GrB_Matrix_import_FP64,                                                                      \
      (graphblas_object * *A, const graphblas_object *type, uint64_t rows, uint64_t cols,          \
       const uint64_t *offsets, const uint64_t *columns, const double *values,                     \
       uint64_t offset_count, uint64_t column_count, uint64_t value_count, int format))            \
    F(GrB_Matrix_exportSize, (uint64_t * offset_count, uint64_t * column_count,                    \
                              uint64_t * value_count, int format, const graphblas_object *A))      \
    F(GrB_Matrix_export_FP32,                                                                      \
      (uint64_t * offsets, uint64_t * columns, float *values, uint64_t *offset_count,              \
       uint64_t *column_count, uint64_t *value_count, int format, const graphblas_object *A))      \
    F(GrB_Matrix_export_FP64,                                                                      \
      (uint64_t * offsets, uint64_t * columns, double *values, uint64_t *offset_count,             \
       uint64_t *column_count, uint64_t *value_count, int format, const graphblas_object *A))      \
    F(GrB_mxm, (graphblas_object * C, const graphblas_object *mask, const graphblas_object *add,   \
                const graphblas_object *semiring, const graphblas_object *A,                       \
                const graphblas_object *B, const graphblas_object *descriptor))                    \
    F(GrB_Matrix_eWiseAdd_BinaryOp,                                                                \
      (graphblas_object * C, const graphblas_object *mask, const graphblas_object *accumulate,     \
       const graphblas_object *add, const graphblas_object *A, const graphblas_object *B,          \
       const graphblas_object *descriptor))                                                        \
    F(GrB_transpose,                                                                               \
      (graphblas_object * C, const graphblas_object *mask, const graphblas_object *add,            \
       const graphblas_object *A, const graphblas_object *descriptor))

/* Objects of the library's own. */
#define GRAPHBLAS_OBJECTS(F)                                                                       \
    F(GrB_FP32)                                                                                    \
    F(GrB_FP64)                                                                                    \
    F(GrB_PLUS_FP32)                                                                               \
    F(GrB_PLUS_FP64)                                                                               \
    F(GrB_PLUS_TIMES_SEMIRING_FP32)                                                                \
    F(GrB_PLUS_TIMES_SEMIRING_FP64)                                                                \
    F(GxB_PLUS_PAIR_FP32)                                                                          \
    F(GxB_PLUS_PAIR_FP64)                                                                          \
    F(GrB_DESC_S)                                                                                  \
    F(GrB_DESC_ST1)

typedef struct graphblas_library {
    void *handle;
#define F(name, arguments) int(*name) arguments;
    GRAPHBLAS_FUNCTIONS(F)
#undef F
#define F(name) const graphblas_object *name;
    GRAPHBLAS_OBJECTS(F)
#undef F
} graphblas_library;

extern graphblas_library graphblas;

/* Opens the library, once, and finds its version. */
tulle_status graphblas_available(char version[BENCH_VERSION]);

/* Returns the status of tulle's that a status of the library's stands for, with a record of the
 * call. */
tulle_status graphblas_status(int status, const char *call);

/* Makes the calling function return the status of a call of the library that fails. */
#define GRAPHBLAS_TRY(name, ...)                                                                   \
    do {                                                                                           \
        tulle_status status_ = graphblas_status(graphblas.name(__VA_ARGS__), #name);               \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

/* These functions say how much memory the library holds. The first starts to record the most of it,
 * and sets a limit in bytes (0: none). */
void graphblas_memory_start(int64_t limit);
int64_t graphblas_memory_held(void);
int64_t graphblas_memory_peak(void);

#endif
