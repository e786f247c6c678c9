/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the threads before each thread, in a warp and in a block, for integers. */
#ifndef TULLE_GPU_SCAN_CUH
#define TULLE_GPU_SCAN_CUH

#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Returns the sum over the lanes up to and including this one. */
template <class T>
GPU_FUNCTION T warp_scan(T v) {
    for (int lanes = 1; lanes < warp_lanes; lanes *= 2) {
        T before = shuffle_up(full_warp, v, static_cast<unsigned>(lanes));
        if (static_cast<int>(lane()) >= lanes) v += before;
    }
    return v;
}

/* Returns the sum over the threads before this one; *all becomes the sum over the block. room: one
 * number per warp of the block, which may be used again after the next sync. */
template <class T>
GPU_FUNCTION T block_scan(T v, shared<T> room, T *all) {
    T with = warp_scan(v);
    unsigned warp = thread() / warp_lanes, warps = block_size() / warp_lanes;
    sync();
    if (lane() == warp_lanes - 1) room[warp] = with;
    sync();
    T before = 0, sum = 0;
    for (unsigned w = 0; w < warps; w++) {
        T one = room[w];
        if (w < warp) before += one;
        sum += one;
    }
    *all = sum;
    return before + with - v;
}

/* Returns the sum over the block to all threads. */
template <class T>
GPU_FUNCTION T block_total(T v, shared<T> room) {
    T all = 0;
    block_scan(v, room, &all);
    return all;
}

/* Returns the least or the greatest number of the block to all threads. */
template <class Operation>
GPU_FUNCTION int64_t block_extreme(int64_t v, shared<int64_t> room) {
    v = warp_reduce<Operation>(v);
    sync();
    if (lane() == 0) room[thread() / warp_lanes] = v;
    sync();
    for (unsigned w = 0; w < block_size() / warp_lanes; w++) v = Operation::of(v, room[w]);
    return v;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
