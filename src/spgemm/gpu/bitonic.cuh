/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by a network (Batcher), by the lanes of a warp or the threads of a block. */
#ifndef TULLE_SPGEMM_GPU_BITONIC_CUH
#define TULLE_SPGEMM_GPU_BITONIC_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <int lanes_>
struct lanes_of_warp {
    static constexpr bool in_one_warp = true;
    static constexpr int lanes = lanes_;
    GPU_FUNCTION static int own() { return static_cast<int>(thread() % lanes); }
    GPU_FUNCTION static int size() { return lanes; }
    GPU_FUNCTION static void wait() { sync_warp(full_warp); }
};
using whole_warp = lanes_of_warp<warp_lanes>;
struct whole_block {
    static constexpr bool in_one_warp = false;
    GPU_FUNCTION static int own() { return static_cast<int>(thread()); }
    GPU_FUNCTION static int size() { return static_cast<int>(block_size()); }
    GPU_FUNCTION static void wait() { sync(); }
};

/* Calls order(i, j) with i < j for pairs of count elements, all threads of the group at once: it
 * swaps them where the first belongs behind the second. All comparisons point the same way, so that
 * those with an element that is not there, which would be the greatest, are left out. Not stable.
 */
template <class Group, class I, class Order>
GPU_FUNCTION void bitonic_sort(I count, Order order) {
    Group::wait();
    for (I half = 1; half < count; half *= 2) {
        const I pairs = (count + 2 * half - 1) / (2 * half) * half;
        for (I p = Group::own(); p < pairs; p += Group::size()) {
            I left = 2 * p - (p & (half - 1)), right = left ^ (2 * half - 1);
            if (right < count) order(left, right);
        }
        Group::wait();
        for (I apart = half / 2; apart > 0; apart /= 2) {
            for (I p = Group::own(); p < pairs; p += Group::size()) {
                I left = 2 * p - (p & (apart - 1)), right = left + apart;
                if (right < count) order(left, right);
            }
            Group::wait();
        }
    }
}

/* Sorts columns, and moves values with them; all threads of a block call it together. */
template <class V, class C, class I, class Columns, class Values>
GPU_FUNCTION void sort_entries(Columns columns, Values values, I count) {
    bitonic_sort<whole_block>(count, [&](I left, I right) {
        C a = columns[left], b = columns[right];
        if (a <= b) return;
        V first = values[left], second = values[right];
        columns[left] = b;
        columns[right] = a;
        values[left] = second;
        values[right] = first;
    });
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
