/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of SpMV and SpMM kernels: one row each. Expanded twice, for the declarations and for
 * the tables, by src/backend_cpu.c and src/backend_gpu.cu. A row (spmv, NAME) is a descriptor
 * spmv_NAME; a row (spmm, NAME), of a kernel for multivectors (TULLE__MULTIVECTOR), is spmm_NAME.
 * The rule picks the kernel of the least cost; of several with the same cost it picks the first of
 * the list. The published kernels stand in spmv/published/, and a build without TULLE_PUBLISHED
 * knows only their names. */
#ifndef TULLE_SPMV_KERNELS_H
#define TULLE_SPMV_KERNELS_H

#include "core/published.h"
#include "spmv/spmv.h"

#define TULLE__SPMV_CPU(K)                                                                         \
    K(spmv, csr_seq)                                                                               \
    K(spmv, csr)                                                                                   \
    K(spmv, csr_merge)                                                                             \
    K(spmv, dia)                                                                                   \
    K(spmv, bsr)                                                                                   \
    K(spmv, csc)                                                                                   \
    K(spmv, ell)                                                                                   \
    K(spmv, ellr)                                                                                  \
    K(spmv, sell)                                                                                  \
    K(spmv, packed)                                                                                \
    K(spmv, hyb)                                                                                   \
    K(spmv, csr_coo)                                                                               \
    K(spmv, jds)                                                                                   \
    K(spmv, jds_ell)                                                                               \
    K(spmv, dcsr)                                                                                  \
    K(spmv, coo)

#define TULLE__SPMV_GPU_PUBLISHED(K)                                                               \
    K(spmv, csr_vector_published)                                                                  \
    K(spmv, csr_adaptive_published)                                                                \
    K(spmv, csr_pcsr)                                                                              \
    K(spmv, csr_light)

#define TULLE__SPMV_GPU(K)                                                                         \
    TULLE__IF_PUBLISHED(TULLE__SPMV_GPU_PUBLISHED(K))                                              \
    K(spmv, csr_scalar)                                                                            \
    K(spmv, csr_vector)                                                                            \
    K(spmv, csr_adaptive)                                                                          \
    K(spmv, csr_merge)                                                                             \
    K(spmv, dia)                                                                                   \
    K(spmv, bsr)                                                                                   \
    K(spmv, csc)                                                                                   \
    K(spmv, coo)                                                                                   \
    K(spmv, coo_atomic)                                                                            \
    K(spmv, ell)                                                                                   \
    K(spmv, ellr)                                                                                  \
    K(spmv, sell)                                                                                  \
    K(spmv, packed)                                                                                \
    K(spmv, hyb)                                                                                   \
    K(spmv, csr_coo)                                                                               \
    K(spmv, jds)                                                                                   \
    K(spmv, jds_ell)                                                                               \
    K(spmv, dcsr)

#define TULLE__SPMM_CPU(K)                                                                         \
    K(spmm, csr)                                                                                   \
    K(spmm, bsr)

#define TULLE__SPMM_GPU(K)                                                                         \
    K(spmm, csr)                                                                                   \
    K(spmm, csr_row)                                                                               \
    K(spmm, csr_staged)                                                                            \
    K(spmm, csr_column)                                                                            \
    K(spmm, csr_merge)                                                                             \
    K(spmm, csr_turned)                                                                            \
    K(spmm, bsr)                                                                                   \
    K(spmm, bsr_tile)

#endif
