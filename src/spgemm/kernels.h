/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of SpGEMM kernels, as spmv/kernels.h has its own. The published ones stand in
 * spgemm/published/, and a build without TULLE_PUBLISHED knows only their names. */
#ifndef TULLE_SPGEMM_KERNELS_H
#define TULLE_SPGEMM_KERNELS_H

#include "core/published.h"
#include "spgemm/blocks.h"
#include "spgemm/spgemm.h"

#define TULLE__SPGEMM_CPU_PUBLISHED(K) K(spgemm, hash) K(spgemm, spa)
#define TULLE__SPGEMM_GPU_PUBLISHED(K)                                                             \
    K(spgemm, hash) K(spgemm, esc) K(spgemm, bhsparse) K(spgemm, balanced_hash)

#define TULLE__SPGEMM_CPU(K) K(spgemm, auto) TULLE__IF_PUBLISHED(TULLE__SPGEMM_CPU_PUBLISHED(K))
#define TULLE__SPGEMM_GPU(K) K(spgemm, auto) TULLE__IF_PUBLISHED(TULLE__SPGEMM_GPU_PUBLISHED(K))

/* Kernels of products with a mask are an operation of their own, so that a kernel of either list
 * takes every call that the list is asked for. */
#define TULLE__MASKED_CPU(K) K(masked, rows)
#define TULLE__MASKED_GPU(K) K(masked, rows)

/* Kernels of products in blocks are one, too: they compute the values of a known pattern. */
#define TULLE__BLOCKS_CPU(K) K(blocks, rows)
#define TULLE__BLOCKS_GPU(K) K(blocks, stretches)

#endif
