/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of Intel's oneAPI Math Kernel Library, opened at run time. The declarations here are
 * those of its reference manual, so that no header of the library's is needed. */
#ifndef BENCH_PEERS_MKL_LIBRARY_H
#define BENCH_PEERS_MKL_LIBRARY_H

#include <stdint.h>

#include "bench/peer.h"

typedef struct mkl_matrix mkl_matrix;

typedef struct mkl_description {
    int type, fill, diagonal;
} mkl_description;

enum {
    MKL_OK = 0,
    MKL_NO_MEMORY = 2,
    MKL_UNSUPPORTED = 6,
    MKL_NO_TRANSPOSE = 10,
    MKL_TRANSPOSE = 11,
    MKL_GENERAL = 20,
    MKL_TRIANGULAR = 23,
    MKL_LOWER = 40,
    MKL_UPPER = 41,
    MKL_FULL = 42,
    MKL_NON_UNIT = 50,
    MKL_BASE_ZERO = 0,
    MKL_BY_ROW = 101,
    MKL_BY_COLUMN = 102,
    MKL_PEAK_OFF = 0, /* arguments of MKL_Peak_Mem_Usage */
    MKL_PEAK_ON = 1,
    MKL_PEAK_READ = 2,
    MKL_INTERFACE_32 = 0,
    MKL_THREADS_OF_GNU = 3 /* libgomp, which this program uses anyway */
};

/* F(name, result, (arguments)); its integers are 32-bit ones. */
#define MKL_FUNCTIONS(F)                                                                           \
    F(mkl_get_version_string, void, (char *text, int room))                                        \
    F(MKL_Set_Interface_Layer, int, (int layer))                                                   \
    F(MKL_Set_Threading_Layer, int, (int layer))                                                   \
    F(MKL_Set_Num_Threads, void, (int threads))                                                    \
    F(MKL_Mem_Stat, int64_t, (int *blocks))                                                        \
    F(mkl_sparse_s_create_csr, int,                                                                \
      (mkl_matrix * *A, int base, int rows, int cols, const int *starts, const int *ends,          \
       const int *columns, const float *values))                                                   \
    F(mkl_sparse_d_create_csr, int,                                                                \
      (mkl_matrix * *A, int base, int rows, int cols, const int *starts, const int *ends,          \
       const int *columns, const double *values))                                                  \
    F(mkl_sparse_set_mv_hint, int, (mkl_matrix * A, int op, mkl_description what, int calls))      \
    F(mkl_sparse_optimize, int, (mkl_matrix * A))                                                  \
    F(mkl_sparse_s_mv, int,                                                                        \
      (int op, float alpha, const mkl_matrix *A, mkl_description what, const float *x, float beta, \
       float *y))                                                                                  \
    F(mkl_sparse_d_mv, int,                                                                        \
      (int op, double alpha, const mkl_matrix *A, mkl_description what, const double *x,           \
       double beta, double *y))                                                                    \
    F(mkl_sparse_set_sv_hint, int, (mkl_matrix * A, int op, mkl_description what, int calls))      \
    F(mkl_sparse_set_sm_hint, int,                                                                 \
      (mkl_matrix * A, int op, mkl_description what, int layout, int columns, int calls))          \
    F(mkl_sparse_s_trsv, int,                                                                      \
      (int op, float alpha, const mkl_matrix *A, mkl_description what, const float *b, float *x))  \
    F(mkl_sparse_d_trsv, int,                                                                      \
      (int op, double alpha, const mkl_matrix *A, mkl_description what, const double *b,           \
       double *x))                                                                                 \
    F(mkl_sparse_s_trsm, int,                                                                      \
      (int op, float alpha, const mkl_matrix *A, mkl_description what, int layout, const float *b, \
       int columns, int ldb, float *x, int ldx))                                                   \
    F(mkl_sparse_d_trsm, int,                                                                      \
      (int op, double alpha, const mkl_matrix *A, mkl_description what, int layout,                \
       const double *b, int columns, int ldb, double *x, int ldx))                                 \
    F(dcsrilu0, void,                                                                              \
      (const int *n, const double *a, const int *ia, const int *ja, double *lu, const int *ipar,   \
       const double *dpar, int *error))                                                            \
    F(mkl_sparse_spmm, int, (int op, const mkl_matrix *A, const mkl_matrix *B, mkl_matrix **C))    \
    F(mkl_sparse_convert_csr, int, (const mkl_matrix *A, int op, mkl_matrix **C))                  \
    F(mkl_sparse_s_add, int,                                                                       \
      (int op, const mkl_matrix *A, float alpha, const mkl_matrix *B, mkl_matrix **C))             \
    F(mkl_sparse_d_add, int,                                                                       \
      (int op, const mkl_matrix *A, double alpha, const mkl_matrix *B, mkl_matrix **C))            \
    F(mkl_sparse_order, int, (mkl_matrix * A))                                                     \
    F(mkl_sparse_s_export_csr, int,                                                                \
      (const mkl_matrix *A, int *base, int *rows, int *cols, int **starts, int **ends,             \
       int **columns, float **values))                                                             \
    F(mkl_sparse_d_export_csr, int,                                                                \
      (const mkl_matrix *A, int *base, int *rows, int *cols, int **starts, int **ends,             \
       int **columns, double **values))                                                            \
    F(LAPACKE_sgeqrf, int, (int layout, int m, int n, float *a, int lda, float *tau))              \
    F(LAPACKE_dgeqrf, int, (int layout, int m, int n, double *a, int lda, double *tau))            \
    F(LAPACKE_sorgqr, int, (int layout, int m, int n, int k, float *a, int lda, const float *tau)) \
    F(LAPACKE_dorgqr, int,                                                                         \
      (int layout, int m, int n, int k, double *a, int lda, const double *tau))                    \
    F(MKL_Peak_Mem_Usage, int64_t, (int mode))                                                     \
    F(mkl_sparse_destroy, int, (mkl_matrix * A))

typedef struct mkl_library {
    void *handle;
#define F(name, result, arguments) result(*name) arguments;
    MKL_FUNCTIONS(F)
#undef F
} mkl_library;

extern mkl_library mkl;

/* Opens the library, once, and finds its version. */
tulle_status mkl_available(char version[BENCH_VERSION]);

/* Makes a matrix of the library's around the arrays of a CSR matrix with 32-bit indices. */
tulle_status mkl_create(const tulle_mat *A, mkl_matrix **made);

/* Returns the status of tulle's that a status of the library's stands for, with a record of the
 * call. */
tulle_status mkl_status(int status, const char *call);

#endif
