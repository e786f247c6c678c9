/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of SpGEMM kernels, as spmv/kernels.h has its own. */
#ifndef TULLE_SPGEMM_KERNELS_H
#define TULLE_SPGEMM_KERNELS_H

#include "spgemm/spgemm.h"

#define TULLE__SPGEMM_CPU(K) K(spgemm, auto) K(spgemm, hash) K(spgemm, spa)

#define TULLE__SPGEMM_GPU(K)                                                                       \
    K(spgemm, auto) K(spgemm, hash) K(spgemm, esc) K(spgemm, bhsparse) K(spgemm, balanced_hash)

#endif
