/* SPDX-License-Identifier: Apache-2.0 */
/* Pivots of a diagonal block: which row is taken, and how the order is kept. */
#ifndef TULLE_FACTOR_GPU_PIVOTS_CUH
#define TULLE_FACTOR_GPU_PIVOTS_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Which row of a diagonal block stands at each row of its factors, 4 bits each, the first lowest.
 * All ones are no permutation. */
constexpr uint64_t awaited_pivots = ~uint64_t{0}, no_pivots = 0xfedcba9876543210;
GPU_FUNCTION int pivot_of(uint64_t pivots, int c) {
    return static_cast<int>(pivots >> (4 * c) & 15);
}

/* Sizes in an order that a warp compares at once: the first 15 bits of a mantissa will do for a
 * pivot, and the lowest row for equal ones. A NaN comes last. */
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
