/* SPDX-License-Identifier: Apache-2.0 */
/* Products that stay products. */
#ifndef TULLE_GPU_ROUNDED_CUH
#define TULLE_GPU_ROUNDED_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* a b, rounded. nvcc makes one operation of a product and the sum after it where it sees both at
 * once: so kernels that add the same products in the same order would differ in their bits. */
GPU_FUNCTION float rounded_product(float a, float b) {
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}
GPU_FUNCTION double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
