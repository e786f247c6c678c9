/* SPDX-License-Identifier: Apache-2.0 */
/* Correct kernels that use every name of gpu.cuh; they compile for the device too. */
#ifndef TULLE_TESTS_EMULATOR_SAMPLES_CUH
#define TULLE_TESTS_EMULATOR_SAMPLES_CUH

#include "gpu/gpu.cuh"

namespace samples {

constexpr int warp = 32;

template <class T>
GPU_FUNCTION T warp_sum(T v) {
    for (unsigned delta = warp / 2; delta > 0; delta /= 2) {
        v += gpu::shuffle_down(gpu::full_warp, v, delta);
    }
    return v;
}

/* sums[block] := the sum of the block's block_size() values of in. */
template <class T>
GPU_KERNEL void block_sum(const T *in, T *sums) {
    GPU_SHARED(T, partial, 32);
    T v = warp_sum(gpu::load(in + gpu::block() * gpu::block_size() + gpu::thread()));
    if (gpu::lane() == 0) partial[gpu::thread() / warp] = v;
    gpu::sync();
    if (gpu::thread() >= warp) return;
    v = gpu::thread() < gpu::block_size() / warp ? T(partial[gpu::thread()]) : T(0);
    v = warp_sum(v);
    if (gpu::thread() == 0) sums[gpu::block()] = v;
}

/* The same as a tree in dynamic shared memory (block_size() values; a power of two). */
template <class T>
GPU_KERNEL void block_sum_tree(const T *in, T *sums) {
    GPU_DYNAMIC_SHARED(T, tree);
    unsigned me = gpu::thread();
    tree[me] = gpu::load_once(in + gpu::block() * gpu::block_size() + me);
    for (unsigned half = gpu::block_size() / 2; half > 0; half /= 2) {
        gpu::sync();
        if (me < half) tree[me] += tree[me + half];
    }
    if (me == 0) sums[gpu::block()] = tree[0];
}

/* Inclusive sums within each warp. */
template <class T>
GPU_KERNEL void warp_scan(const T *in, T *out) {
    unsigned i = gpu::block() * gpu::block_size() + gpu::thread();
    T v = in[i];
    for (unsigned delta = 1; delta < warp; delta *= 2) {
        T before = gpu::shuffle_up(gpu::full_warp, v, delta);
        if (gpu::lane() >= delta) v += before;
    }
    out[i] = v;
}

/* bins[in[i]]++ for all i < count, first in shared memory. */
template <int Bins>
GPU_KERNEL void histogram(const int *in, int64_t count, int64_t *bins) {
    GPU_SHARED(int, mine, Bins);
    for (unsigned b = gpu::thread(); b < Bins; b += gpu::block_size()) mine[b] = 0;
    gpu::sync();
    int64_t step = static_cast<int64_t>(gpu::grid_size()) * gpu::block_size();
    int64_t first = static_cast<int64_t>(gpu::block()) * gpu::block_size() + gpu::thread();
    for (int64_t i = first; i < count; i += step) gpu::atomic_add(&mine[in[i]], 1);
    gpu::sync();
    for (unsigned b = gpu::thread(); b < Bins; b += gpu::block_size()) {
        gpu::atomic_add(bins + b, static_cast<int64_t>(mine[b]));
    }
}

/* out[i] := in[0] + ... + in[i] over all blocks of one warp each. Blocks take their part by a
 * ticket, so that the one before has always started; flags and ticket are zero at first. */
GPU_KERNEL void chained_scan(const int *in, int *out, int *ticket, int *flags, int *totals) {
    int part = 0;
    if (gpu::lane() == 0) part = gpu::atomic_add(ticket, 1);
    part = gpu::shuffle(gpu::full_warp, part, 0);
    int i = part * warp + static_cast<int>(gpu::lane());
    int v = in[i];
    for (unsigned delta = 1; delta < warp; delta *= 2) {
        int before = gpu::shuffle_up(gpu::full_warp, v, delta);
        if (gpu::lane() >= delta) v += before;
    }
    int carry = 0;
    if (gpu::lane() == warp - 1) {
        if (part > 0) {
            while (gpu::load_acquire(flags + part - 1) == 0) gpu::spin();
            carry = totals[part - 1];
        }
        totals[part] = carry + v;
        gpu::fence();
        gpu::store_release(flags + part, 1);
    }
    out[i] = v + gpu::shuffle(gpu::full_warp, carry, warp - 1);
}

/* Each half warp by itself: out[i] := the value of the half's lane that mirrors i's, through
 * shared memory; and count[half warp] := how many of its values are odd, by ballot. */
GPU_KERNEL void half_warps(const int *in, int *out, int *odd) {
    GPU_SHARED(int, box, 1024);
    constexpr unsigned half = warp / 2;
    unsigned mask = gpu::lane() < half ? 0x0000ffffu : 0xffff0000u;
    unsigned me = gpu::thread(), first = me / half * half;
    unsigned i = gpu::block() * gpu::block_size() + me;
    box[me] = in[i];
    gpu::sync_warp(mask);
    int mirrored = box[first + half - 1 - me % half];
    gpu::sync_warp(mask);
    box[me] = -1; /* allowed: all have read */
    out[i] = mirrored;
    unsigned votes = gpu::ballot(mask, in[i] % 2 != 0);
    bool some = gpu::any(mask, in[i] % 2 != 0), every = gpu::all(mask, in[i] % 2 != 0);
    int count = 0;
    for (; votes; votes &= votes - 1) count++;
    if (some != (count > 0) || every != (count == static_cast<int>(half))) count = -1;
    if (me == first) odd[i / half] = count;
}

/* Sums by a lock: cas and exchange; and the extremes by atomics. */
GPU_KERNEL void locked(const int *in, int *lock, int *sum, int *least, int *most) {
    int v = in[gpu::block() * gpu::block_size() + gpu::thread()];
    bool waiting = true;
    while (waiting) {
        if (gpu::atomic_cas(lock, 0, 1) == 0) {
            gpu::fence();
            gpu::store_relaxed(sum, gpu::load_relaxed(sum) + v);
            gpu::fence();
            gpu::atomic_exchange(lock, 0);
            waiting = false;
        } else {
            gpu::spin();
        }
    }
    gpu::atomic_min(least, v);
    gpu::atomic_max(most, v);
}

/* out[i] of the warp := v of the lane i ^ 1, for i < count a multiple of width. */
template <class T>
GPU_KERNEL void swap_neighbours(const T *in, T *out, int width) {
    T v = in[gpu::lane()];
    out[gpu::lane()] = gpu::shuffle_xor(gpu::full_warp, v, 1, width);
    out[warp + gpu::lane()] = gpu::shuffle(gpu::full_warp, v, 1, width);
    out[2 * warp + gpu::lane()] = gpu::shuffle_down(gpu::full_warp, v, 1u, width);
    out[3 * warp + gpu::lane()] = gpu::shuffle_up(gpu::full_warp, v, 1u, width);
}

}  // namespace samples

#endif
