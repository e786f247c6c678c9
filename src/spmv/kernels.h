/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of SpMV kernels: one row each. Expanded twice, for the declarations and for the
 * table, by the CPU part (K = CPU) and by the GPU part. Order is not a preference; the rule picks
 * by cost. */
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
    K(hyb)                                                                                         \
    K(csr_coo)                                                                                     \
    K(jds)                                                                                         \
    K(jds_ell)

#endif
