/* SPDX-License-Identifier: Apache-2.0 */
/* The list of kernels for triangular systems, like that of spmv/kernels.h. Of the default kernels
 * the first one that suits a case is taken. */
#ifndef TULLE_TRISOLVE_KERNELS_H
#define TULLE_TRISOLVE_KERNELS_H

#include "trisolve/trisolve.h"

#define TULLE__TRISOLVE_CPU(K) K(trisolve, rows) K(trisolve, levels)

#define TULLE__TRISOLVE_GPU(K)                                                                     \
    K(trisolve, near) K(trisolve, poll) K(trisolve, levels) K(trisolve, columns)

#endif
