/* SPDX-License-Identifier: Apache-2.0 */
/* Products that are rounded before they are added. nvcc makes one operation, with one rounding, of
 * a product and the sum behind it where it sees both at once; the same sums would then have other
 * bits in other kernels, and on other devices. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_CORE_ROUNDED_H
#define TULLE_CORE_ROUNDED_H

#include "tulle/export.h"

/* Returns a b, rounded. */
TULLE_INLINE double tulle__rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

/* Returns a b, rounded to f32. */
TULLE_INLINE float tulle__rounded_product_f32(float a, float b) {
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

#endif
