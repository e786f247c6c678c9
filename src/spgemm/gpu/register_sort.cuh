/* SPDX-License-Identifier: Apache-2.0 */
/* Batcher's network with some columns of each thread in registers: a thread compares its own, lanes
 * of a warp exchange theirs by shuffles, and only warps go through shared memory. All comparisons
 * point the same way, so that a place behind the last column never gets one. */
#ifndef TULLE_SPGEMM_GPU_REGISTER_SORT_CUH
#define TULLE_SPGEMM_GPU_REGISTER_SORT_CUH

#include "spgemm/gpu/bitonic.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A network of a group, lanes_of_warp or whole_block, whose thread t has `keys` places from place t
 * * keys on. */
template <class Group, int keys, class C>
struct register_sort {
    static constexpr C none = static_cast<C>((uint64_t{1} << (8 * sizeof(C) - 1)) - 1);

    shared<C> columns; /* room for the keys of all threads */
    int own;
    bool busy; /* true when the warp has columns */
    C key[keys];

    GPU_FUNCTION void sort(int count) {
        Group::wait();
        GPU_UNROLL
        for (int u = 0; u < keys; u++) {
            const int place = own * keys + u;
            key[u] = none;
            if (place < count) key[u] = columns[place];
        }
        Group::wait();
        if (busy) sort_own();
        for (int half = 1; half * keys < count; half *= 2) {
            exchange<true>(2 * half - 1);
            for (int apart = half / 2; apart > 0; apart /= 2) exchange<false>(apart);
            if (busy) merge_own(keys / 2);
        }
        GPU_UNROLL
        for (int u = 0; u < keys; u++) {
            if (own * keys + u < count) columns[own * keys + u] = key[u];
        }
        Group::wait();
    }

    /* Sorts the keys of all threads, of which there are a fixed number and no places without a
     * key, without a loop. */
    template <int half = 1>
    GPU_FUNCTION void sort_all() {
        if constexpr (half == 1) sort_own();
        exchange<true>(2 * half - 1);
        GPU_UNROLL
        for (int apart = half / 2; apart > 0; apart /= 2) exchange<false>(apart);
        merge_own(keys / 2);
        if constexpr (2 * half < Group::lanes) sort_all<2 * half>();
    }

    GPU_FUNCTION static C lesser(C a, C b) { return a < b ? a : b; }
    GPU_FUNCTION static C greater(C a, C b) { return a < b ? b : a; }
    GPU_FUNCTION void order(int first, int second) {
        const C a = key[first], b = key[second];
        key[first] = lesser(a, b);
        key[second] = greater(a, b);
    }
    GPU_FUNCTION void merge_own(int widest) {
        GPU_UNROLL
        for (int apart = widest; apart > 0; apart /= 2) {
            GPU_UNROLL
            for (int u = 0; u < keys; u++) {
                if ((u & apart) == 0) order(u, u + apart);
            }
        }
    }
    GPU_FUNCTION void sort_own() {
        GPU_UNROLL
        for (int half = 1; half < keys; half *= 2) {
            GPU_UNROLL
            for (int u = 0; u < keys; u++) {
                if ((u & half) == 0) order(u, u ^ (2 * half - 1));
            }
            merge_own(half / 2);
        }
    }
    /* Compares with the thread whose index differs in the bits of mask; where mirrored, with
     * its places from the last to the first. */
    template <bool mirrored>
    GPU_FUNCTION void exchange(int mask) {
        C other[keys];
        const int with = own ^ mask;
        if (Group::in_one_warp || mask < warp_lanes) {
            if (!busy) return;
            GPU_UNROLL
            for (int u = 0; u < keys; u++) {
                other[u] = shuffle_xor(full_warp, key[mirrored ? keys - 1 - u : u], mask);
            }
        } else {
            GPU_UNROLL
            for (int u = 0; u < keys; u++) columns[u * Group::size() + own] = key[u];
            Group::wait();
            GPU_UNROLL
            for (int u = 0; u < keys; u++) {
                other[u] = columns[(mirrored ? keys - 1 - u : u) * Group::size() + with];
            }
            Group::wait();
        }
        const bool low = own < with;
        GPU_UNROLL
        for (int u = 0; u < keys; u++) {
            key[u] = low ? lesser(key[u], other[u]) : greater(key[u], other[u]);
        }
    }
};

/* Sorts columns, which all differ, in place; room: for the keys of all threads. */
template <class Group, int keys, class C>
GPU_FUNCTION void sort_rising(shared<C> columns, int count) {
    const int own = Group::own();
    register_sort<Group, keys, C> sorting = {
        columns, own, own / warp_lanes * warp_lanes * keys < count, {}};
    sorting.sort(count);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
