/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are their own flags: memory full of ones is a NaN, and no number is stored with an
 * upper half of ones. */
#ifndef TULLE_TRISOLVE_GPU_AWAITED_CUH
#define TULLE_TRISOLVE_GPU_AWAITED_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int awaited_byte = 0xff;

GPU_FUNCTION bool is_awaited(float v) {
    return __builtin_bit_cast(uint32_t, v) == ~uint32_t{0};
}
GPU_FUNCTION bool is_awaited(double v) {
    return static_cast<uint32_t>(__builtin_bit_cast(uint64_t, v) >> 32) == ~uint32_t{0};
}

GPU_FUNCTION void make_awaited(float *number) {
    *number = __builtin_bit_cast(float, ~uint32_t{0});
}
GPU_FUNCTION void make_awaited(double *number) {
    *number = __builtin_bit_cast(double, ~uint64_t{0});
}

/* Returns another NaN in place of the awaited one. */
template <class V>
GPU_FUNCTION V never_awaited(V v) {
    return is_awaited(v) ? static_cast<V>(__builtin_nanf("")) : v;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
