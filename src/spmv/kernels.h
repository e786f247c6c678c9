/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of SpMV and SpMM kernels: one row each. Expanded twice, for the declarations and for
 * the table, by the CPU part and by the GPU part. A row of the SPMV lists is a descriptor
 * spmv_NAME; a row of the SPMM lists, of kernels for blocks of vectors (TULLE__BLOCKS), is
 * spmm_NAME. Both are in the back end's one table. Order is not a preference; the rule picks by
 * cost. */
#ifndef TULLE_SPMV_KERNELS_H
#define TULLE_SPMV_KERNELS_H

#define TULLE__SPMV_CPU(K)                                                                         \
    K(csr_seq)                                                                                     \
    K(csr)                                                                                         \
    K(csr_merge)                                                                                   \
    K(dia)                                                                                         \
    K(bsr)                                                                                         \
    K(csc)                                                                                         \
    K(ell)                                                                                         \
    K(ellr)                                                                                        \
    K(sell)                                                                                        \
    K(packed)                                                                                      \
    K(hyb)                                                                                         \
    K(csr_coo)                                                                                     \
    K(jds)                                                                                         \
    K(jds_ell)                                                                                     \
    K(coo)

#define TULLE__SPMV_GPU(K)                                                                         \
    K(csr_scalar)                                                                                  \
    K(csr_vector)                                                                                  \
    K(csr_adaptive)                                                                                \
    K(csr_pcsr)                                                                                    \
    K(csr_light)                                                                                   \
    K(csr_merge)                                                                                   \
    K(dia)                                                                                         \
    K(bsr)                                                                                         \
    K(csc)                                                                                         \
    K(coo)                                                                                         \
    K(coo_atomic)                                                                                  \
    K(ell)                                                                                         \
    K(ellr)                                                                                        \
    K(sell)                                                                                        \
    K(packed)                                                                                      \
    K(hyb)                                                                                         \
    K(csr_coo)                                                                                     \
    K(jds)                                                                                         \
    K(jds_ell)

#define TULLE__SPMM_CPU(K) K(csr)

#define TULLE__SPMM_GPU(K)                                                                         \
    K(csr)                                                                                         \
    K(csr_row)                                                                                     \
    K(csr_staged)                                                                                  \
    K(csr_column)                                                                                  \
    K(csr_merge)                                                                                   \
    K(csr_turned)

#endif
