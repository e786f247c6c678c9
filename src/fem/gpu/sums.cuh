/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of numbers that a list says. */
#ifndef TULLE_FEM_GPU_SUMS_CUH
#define TULLE_FEM_GPU_SUMS_CUH

#include "fem/assembly/jobs.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Numbers of a sum that are on their way together: an inner entry of a mesh of hexahedra has 1, 2,
 * 4 or 8, an inner unknown 8. */
constexpr int sum_ahead = 4;

/* Adds the numbers of an item to sum, in their order; number(from) loads one. */
template <class V, class From, class Number>
GPU_FUNCTION V add_listed(const void *ends_of, const void *from_of, int64_t item, V sum,
                          const Number &number) {
    constexpr From none = static_cast<From>(TULLE__NO_NUMBER);
    const From *ends = static_cast<const From *>(ends_of);
    const From end = load(ends + item + 1);
    From left = end - load(ends + item);
    const From *next = static_cast<const From *>(from_of) + (end - left);
    for (; left > 0; next += sum_ahead) {
        From from[sum_ahead];
        V numbers[sum_ahead] = {};
        GPU_UNROLL
        for (int a = 0; a < sum_ahead; a++) {
            from[a] = static_cast<From>(a) < left ? load(next + a) : none;
        }
        GPU_UNROLL
        for (int a = 0; a < sum_ahead; a++) {
            if (from[a] != none) numbers[a] = number(static_cast<int64_t>(from[a]));
        }
        GPU_UNROLL
        for (int a = 0; a < sum_ahead; a++) {
            if (from[a] != none) sum += numbers[a];
        }
        left -= left < sum_ahead ? left : static_cast<From>(sum_ahead);
    }
    return sum;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
