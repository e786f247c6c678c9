/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of kernels for factors, as spmv/kernels.h has its own. */
#ifndef TULLE_FACTOR_KERNELS_H
#define TULLE_FACTOR_KERNELS_H

#include "factor/factor.h"

#define TULLE__FACTOR_CPU(K) K(factor, spread) K(factor, rows)

#define TULLE__FACTOR_GPU(K)                                                                       \
    K(factor, listed) K(factor, poll) K(factor, blocks) K(factor, poll_blocks)

#endif
