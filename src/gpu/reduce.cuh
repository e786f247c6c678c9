/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces the numbers of a warp or a block to one, for integers, whose result does not depend on
 * the order. */
#ifndef TULLE_GPU_REDUCE_CUH
#define TULLE_GPU_REDUCE_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

struct least {
    GPU_FUNCTION static int64_t of(int64_t a, int64_t b) { return a < b ? a : b; }
};
struct most {
    GPU_FUNCTION static int64_t of(int64_t a, int64_t b) { return a > b ? a : b; }
};
struct total {
    GPU_FUNCTION static int64_t of(int64_t a, int64_t b) { return a + b; }
};

constexpr int loop_warps = loop_threads / warp_lanes;

/* Reduces over the lanes of a warp, all of which get the result. */
template <class Operation, class T>
GPU_FUNCTION T warp_reduce(T v) {
    for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
        v = static_cast<T>(Operation::of(v, shuffle_xor(full_warp, v, lanes)));
    }
    return v;
}

/* Reduces over the block's loop_threads threads, of which the first gets the result. room:
 * loop_warps numbers. */
template <class Operation>
GPU_FUNCTION int64_t block_reduce(int64_t v, shared<int64_t> room) {
    v = warp_reduce<Operation>(v);
    if (lane() == 0) room[thread() / warp_lanes] = v;
    sync();
    for (int warp = 1; thread() == 0 && warp < loop_warps; warp++) v = Operation::of(v, room[warp]);
    sync();
    return v;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
