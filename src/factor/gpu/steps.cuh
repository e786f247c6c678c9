/* SPDX-License-Identifier: Apache-2.0 */
/* The bits of a step's word (factor/steps.h), where W is int32_t or int64_t. A division has the
 * highest bit set, and an entry of the pattern in the other bits. A subtraction has in its upper
 * half the distance of its number of U from U_kk, and in its lower half the place in the row of the
 * number that it changes. */
#ifndef TULLE_FACTOR_GPU_STEPS_CUH
#define TULLE_FACTOR_GPU_STEPS_CUH

#include <type_traits>

#include "factor/steps.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class W>
class step_word {
    using bits = std::make_unsigned_t<W>;
    static constexpr int half = 4 * sizeof(W);
    static constexpr bits division_bit = bits(1) << (2 * half - 1);
    bits word_;

  public:
    /* Most numbers, of a row or of all rows for L L^T, that a word can tell apart. */
    static constexpr int64_t most_numbers = int64_t(1) << (half - 1);

    GPU_FUNCTION explicit step_word(W word) : word_(static_cast<bits>(word)) {}
    GPU_FUNCTION static W division(int64_t entry) {
        return static_cast<W>(division_bit | static_cast<bits>(entry));
    }
    GPU_FUNCTION static W subtraction(int64_t behind, int64_t to) {
        return static_cast<W>(static_cast<bits>(behind) << half | static_cast<bits>(to));
    }
    GPU_FUNCTION bool divides() const { return (word_ & division_bit) != 0; }
    GPU_FUNCTION int64_t entry() const { return static_cast<int64_t>(word_ & ~division_bit); }
    GPU_FUNCTION int64_t behind() const { return static_cast<int64_t>(word_ >> half); }
    GPU_FUNCTION int64_t to() const {
        return static_cast<int64_t>(word_ & ((bits(1) << half) - 1));
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
