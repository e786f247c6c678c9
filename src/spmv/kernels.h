/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of SpMV kernels: one row each. Expanded twice, for the declarations and for the
 * table, by the CPU part (K = CPU) and by the GPU part. Order is not a preference; the rule picks
 * by cost. */
#ifndef TULLE_SPMV_KERNELS_H
#define TULLE_SPMV_KERNELS_H

#define TULLE__SPMV_CPU(K)                                                                         \
    K(csr_seq)                                                                                     \
    K(csr)

#define TULLE__SPMV_GPU(K)                                                                         \
    K(csr_scalar)                                                                                  \
    K(csr_vector)                                                                                  \
    K(csr_merge)

#endif
