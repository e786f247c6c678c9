/* SPDX-License-Identifier: Apache-2.0 */
/* The peers of this build, one row each. */
#ifndef LAB_PEERS_PEERS_H
#define LAB_PEERS_PEERS_H

#include "bench/peer.h"

#ifdef TULLE_PEER_CUSPARSE
#define BENCH_PEERS_CUSPARSE(X)                                                                    \
    X(cusparse_csr_alg1)                                                                           \
    X(cusparse_csr_alg1_preprocess)                                                                \
    X(cusparse_csr_alg2)                                                                           \
    X(cusparse_csr_alg2_preprocess)                                                                \
    X(cusparse_coo_alg1)                                                                           \
    X(cusparse_coo_alg2)                                                                           \
    X(cusparse_sell_alg1)                                                                          \
    X(cusparse_bsr_alg1)                                                                           \
    X(cusparse_spmm_alg1)                                                                          \
    X(cusparse_spmm_alg1_preprocess)                                                               \
    X(cusparse_spmm_alg2)                                                                          \
    X(cusparse_spmm_alg2_preprocess)                                                               \
    X(cusparse_spmm_alg3)                                                                          \
    X(cusparse_spmm_alg3_preprocess)                                                               \
    X(cusparse_spmm_bsr_alg1)                                                                      \
    X(cusparse_bsrmm)                                                                              \
    X(cusparse_bsrmv_columns)                                                                      \
    X(cusparse_bsrmv)                                                                              \
    X(cusparse_batch_bsrmv)                                                                        \
    X(cusparse_batch_bsrmm)                                                                        \
    X(cusparse_batch_spmm_bsr)                                                                     \
    X(cusparse_spgemm_alg1)                                                                        \
    X(cusparse_spgemm_alg2)                                                                        \
    X(cusparse_spgemm_alg3)                                                                        \
    X(cusparse_reuse_first)                                                                        \
    X(cusparse_reuse_update)                                                                       \
    X(cusparse_csrgeam2)                                                                           \
    X(cusparse_csr2csc)                                                                            \
    X(cusparse_spsv)                                                                               \
    X(cusparse_spsm)                                                                               \
    X(cusparse_bsrsv2)                                                                             \
    X(cusparse_bsrsv2_no_level)                                                                    \
    X(cusparse_bsrsm2)                                                                             \
    X(cusparse_bsrsm2_no_level)                                                                    \
    X(cusparse_csrilu02)                                                                           \
    X(cusparse_csrilu02_no_level)                                                                  \
    X(cusparse_csric02)                                                                            \
    X(cusparse_csric02_no_level)                                                                   \
    X(cusparse_bsrilu02)                                                                           \
    X(cusparse_bsrilu02_no_level)
#else
#define BENCH_PEERS_CUSPARSE(X)
#endif

#ifdef TULLE_PEER_CUBLAS
#define BENCH_PEERS_CUBLAS(X)                                                                      \
    X(cublas_dot)                                                                                  \
    X(cublas_dot_batched)                                                                          \
    X(cublas_axpy)                                                                                 \
    X(cublas_axpby_geam)                                                                           \
    X(cublas_scal)                                                                                 \
    X(cublas_copy)                                                                                 \
    X(cublas_multiply_dgmm)                                                                        \
    X(cublas_nrm2)                                                                                 \
    X(cublas_amax)                                                                                 \
    X(cublas_multivector_dot_gemm)                                                                 \
    X(cublas_multivector_dot_gemv)                                                                 \
    X(cublas_multivector_dot_dots)                                                                 \
    X(cublas_multivector_axpy_gemm)                                                                \
    X(cublas_multivector_axpy_gemv)                                                                \
    X(cublas_multivector_axpy_axpys)                                                               \
    X(cublas_batch_dot_strided)                                                                    \
    X(cublas_batch_dot_each)                                                                       \
    X(cublas_batch_dot_streams_8)                                                                  \
    X(cublas_batch_dot_streams_32)                                                                 \
    X(cublas_batch_axpy_strided)                                                                   \
    X(cublas_batch_axpy_each)                                                                      \
    X(cublas_batch_axpy_streams_8)                                                                 \
    X(cublas_batch_axpy_streams_32)                                                                \
    X(cublas_getrf_batched)                                                                        \
    X(cublas_getrs_batched)
#else
#define BENCH_PEERS_CUBLAS(X)
#endif

#if defined(TULLE_PEER_CUSPARSE) && defined(TULLE_PEER_CUBLAS)
#define BENCH_PEERS_KRYLOV(X)                                                                      \
    X(cusparse_cg_alg1)                                                                            \
    X(cusparse_cg_alg1_geam)                                                                       \
    X(cusparse_cg_alg2)                                                                            \
    X(cusparse_cg_alg2_geam)                                                                       \
    X(cusparse_bicgstab_alg1)                                                                      \
    X(cusparse_bicgstab_alg1_geam)                                                                 \
    X(cusparse_bicgstab_alg2)                                                                      \
    X(cusparse_bicgstab_alg2_geam)                                                                 \
    X(cusparse_gmres_alg1)                                                                         \
    X(cusparse_gmres_alg1_once)                                                                    \
    X(cusparse_gmres_alg2)                                                                         \
    X(cusparse_gmres_alg2_once)
#else
#define BENCH_PEERS_KRYLOV(X)
#endif

#ifdef TULLE_PEER_CUSOLVER
#define BENCH_PEERS_CUSOLVER(X) X(cusolver_geqrf_orgqr)
#else
#define BENCH_PEERS_CUSOLVER(X)
#endif

#ifdef TULLE_PEER_EIGEN
#define BENCH_PEERS_EIGEN(X) X(eigen_csr) X(eigen_cg) X(eigen_bicgstab)
#else
#define BENCH_PEERS_EIGEN(X)
#endif

#ifdef TULLE_PEER_LIBRSB
#define BENCH_PEERS_LIBRSB(X) X(librsb_rsb)
#else
#define BENCH_PEERS_LIBRSB(X)
#endif

#define BENCH_PEERS(X)                                                                             \
    BENCH_PEERS_CUSPARSE(X)                                                                        \
    BENCH_PEERS_CUBLAS(X)                                                                          \
    BENCH_PEERS_CUSOLVER(X)                                                                        \
    BENCH_PEERS_KRYLOV(X)                                                                          \
    BENCH_PEERS_EIGEN(X)                                                                           \
    BENCH_PEERS_LIBRSB(X)                                                                          \
    X(mkl_csr)                                                                                     \
    X(mkl_csr_optimized)                                                                           \
    X(scipy_csr)                                                                                   \
    X(graphblas_spgemm)                                                                            \
    X(graphblas_masked)                                                                            \
    X(graphblas_masked_pair)                                                                       \
    X(graphblas_masked_dot)                                                                        \
    X(mkl_spgemm)                                                                                  \
    X(scipy_spgemm)                                                                                \
    X(graphblas_add)                                                                               \
    X(graphblas_transpose)                                                                         \
    X(mkl_add)                                                                                     \
    X(mkl_transpose)                                                                               \
    X(scipy_add)                                                                                   \
    X(scipy_transpose)                                                                             \
    X(mkl_trisolve)                                                                                \
    X(mkl_trisolve_optimized)                                                                      \
    X(scipy_trisolve)                                                                              \
    X(scipy_assemble)                                                                              \
    X(scipy_spilu)                                                                                 \
    X(scipy_splu)                                                                                  \
    X(mkl_dcsrilu0)                                                                                \
    X(mkl_geqrf_orgqr)                                                                             \
    X(tulle_one_by_one)                                                                            \
    X(tulle_one_by_one_gpu)                                                                        \
    X(tulle_two_products)                                                                          \
    X(tulle_two_products_gpu)                                                                      \
    X(tulle_numbers)                                                                               \
    X(tulle_numbers_gpu)                                                                           \
    X(tulle_numbers_update)                                                                        \
    X(tulle_numbers_update_gpu)                                                                    \
    X(petsc_cg)                                                                                    \
    X(petsc_bicgstab)                                                                              \
    X(petsc_gmres)                                                                                 \
    X(petsc_gamg)                                                                                  \
    X(petsc_gamg_nodes)                                                                            \
    X(petsc_hypre)                                                                                 \
    X(petsc_hypre_hmis)                                                                            \
    X(petsc_hypre_aggressive)                                                                      \
    X(pyamg_classical)                                                                             \
    X(pyamg_aggregation)                                                                           \
    X(pyamg_nodes)                                                                                 \
    X(skfem)

TULLE_BEGIN
#define X(name) extern const bench_peer bench_peer_##name;
BENCH_PEERS(X)
#undef X
TULLE_END

/* Offers all peers of this build to the benchmark (bench/peers.h). */
void lab_peers_offer(void);

#endif
