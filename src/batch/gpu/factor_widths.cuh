/* SPDX-License-Identifier: Apache-2.0 */
/* The widths of blocks of factors for which kernels are compiled, by variant of a task. Factors in
 * numbers (blocks of 1) have indices of 32 bits at most, except for solutions. The emulator has one
 * kernel, which takes any blocks, because compiling all takes long. */
#ifndef TULLE_BATCH_GPU_FACTOR_WIDTHS_CUH
#define TULLE_BATCH_GPU_FACTOR_WIDTHS_CUH

#include "factor/factor.h"
#include "gpu/gpu.cuh"

#if defined(TULLE__EMULATOR)
#define TULLE__EACH_WIDTH(kernel, ...)                                                             \
    kernel<__VA_ARGS__, 1>, kernel<__VA_ARGS__, TULLE__MOST_BLOCK>,                                \
        kernel<__VA_ARGS__, TULLE__MOST_BLOCK>, kernel<__VA_ARGS__, TULLE__MOST_BLOCK>
#else
#define TULLE__EACH_WIDTH(kernel, ...)                                                             \
    kernel<__VA_ARGS__, 1>, kernel<__VA_ARGS__, 4>, kernel<__VA_ARGS__, 8>,                        \
        kernel<__VA_ARGS__, TULLE__MOST_BLOCK>
#endif

#endif
