/* SPDX-License-Identifier: Apache-2.0 */
/* Pivots of a diagonal block: the choice of rows, and the encoding of their order. */
#ifndef TULLE_FACTOR_GPU_PIVOTS_CUH
#define TULLE_FACTOR_GPU_PIVOTS_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The row of a diagonal block at each row of its factors, 4 bits each, the first one lowest. All
 * ones are no permutation. */
constexpr uint64_t awaited_pivots = ~uint64_t{0}, no_pivots = 0xfedcba9876543210;
GPU_FUNCTION int pivot_of(uint64_t pivots, int c) {
    return static_cast<int>(pivots >> (4 * c) & 15);
}

/* Returns a size as an integer that a warp compares at a time: the first 15 bits of the mantissa
 * are enough for a pivot, and the lowest row wins among equals. A NaN comes last. */
GPU_FUNCTION unsigned size_bits(float v) {
    return __builtin_bit_cast(uint32_t, v) & 0x7fffffffu;
}
GPU_FUNCTION unsigned size_bits(double v) {
    return static_cast<unsigned>(__builtin_bit_cast(uint64_t, v) >> 32) & 0x7fffffffu;
}
template <class T>
GPU_FUNCTION unsigned pivot_key(T v, int r) {
    const unsigned size = v == v ? size_bits(v) : 0u;
    return (size & ~31u) | 16u | (15u - static_cast<unsigned>(r));
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
