/* SPDX-License-Identifier: Apache-2.0 */
/* The products of core/rounded.h for kernels that are templates of the value type. */
#ifndef TULLE_GPU_ROUNDED_CUH
#define TULLE_GPU_ROUNDED_CUH

#include "core/rounded.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Returns a b, rounded to the type. */
GPU_FUNCTION float rounded_product(float a, float b) {
    return tulle__rounded_product_f32(a, b);
}
GPU_FUNCTION double rounded_product(double a, double b) {
    return tulle__rounded_product(a, b);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
