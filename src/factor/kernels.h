/* SPDX-License-Identifier: Apache-2.0 */
/* The list of kernels for factors, like that of spmv/kernels.h. */
#ifndef TULLE_FACTOR_KERNELS_H
#define TULLE_FACTOR_KERNELS_H

#include "factor/factor.h"

#define TULLE__FACTOR_CPU(K) K(factor, spread) K(factor, rows)

#define TULLE__FACTOR_GPU(K)                                                                       \
    K(factor, listed) K(factor, poll) K(factor, blocks) K(factor, poll_blocks)

#endif
