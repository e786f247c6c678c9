/* SPDX-License-Identifier: Apache-2.0 */
/* Fences that stand for other threads, or against each other. */
#ifndef TULLE_TESTS_EMULATOR_BROKEN_FENCES_CUH
#define TULLE_TESTS_EMULATOR_BROKEN_FENCES_CUH

#include "gpu/gpu.cuh"

namespace broken {

/* Who fences before the barrier after which thread 0 takes the ticket, and who does, after thread 0
 * has it, before the last block reads. */
enum fenced_by { BY_NOBODY, BY_ALL, BY_FIRST };
template <fenced_by writers, fenced_by readers>
GPU_KERNEL void last_block_of_all(int *parts, int *tickets, int *sums) {
    GPU_SHARED(int, last, 1);
    unsigned me = gpu::thread(), threads = gpu::block_size(), blocks = gpu::grid_size();
    parts[gpu::block() * threads + me] = 1;
    if (writers == BY_ALL || (writers == BY_FIRST && me == 0)) gpu::fence();
    gpu::sync();
    if (me == 0) {
        last[0] = gpu::atomic_add(tickets, 1) == static_cast<int>(blocks) - 1;
        if (readers == BY_FIRST) gpu::fence();
    }
    gpu::sync();
    if (!last[0]) return;
    if (readers == BY_ALL) gpu::fence();
    int sum = 0;
    for (unsigned b = 0; b < blocks; b++) sum += parts[b * threads + (me ^ 1)];
    sums[me] = sum;
}

/* The last block sets the ticket back: plainly, which only those may do who have met all. */
template <bool last_alone>
GPU_KERNEL void sets_back(int *tickets) {
    if (gpu::thread() > 0) return;
    bool last = gpu::atomic_add(tickets, 1) == static_cast<int>(gpu::grid_size()) - 1;
    if (last || (!last_alone && gpu::block() == 1)) *tickets = 0;
}

/* The same between warps: lanes that wait for each other by sync_warp. */
template <bool careful>
GPU_KERNEL void lanes_fence(int *data, int *flag, int *out) {
    unsigned lane = gpu::lane();
    if (gpu::thread() < 32) {
        data[lane] = 1;
        if (careful || lane == 0) gpu::fence();
        gpu::sync_warp(gpu::full_warp);
        if (lane == 0) gpu::store_relaxed(flag, 1);
    } else {
        while (lane == 0 && gpu::load_relaxed(flag) == 0) gpu::spin();
        gpu::sync_warp(gpu::full_warp);
        gpu::fence();
        out[lane] = data[31 - lane];
    }
}

/* Two blocks each raise a flag and look at the other one's, perhaps by an update that changes
 * nothing: with fences between, one of them sees it (Dekker). */
template <bool careful, bool by_update>
GPU_KERNEL void each_looks(int *flags, int *seen) {
    unsigned me = gpu::block();
    int *other = flags + 1 - me;
    gpu::store_relaxed(flags + me, 1);
    if (careful) gpu::fence();
    seen[me] = by_update ? gpu::atomic_max(other, 0) : gpu::load_relaxed(other);
}

/* The same over three: who sees the second's flag sees, behind a fence, what the first missed. */
GPU_KERNEL void looks_beyond(int *flags, int *seen) {
    unsigned me = gpu::block();
    if (me == 0) {
        gpu::store_relaxed(flags, 1);
        gpu::fence();
        seen[0] = gpu::load_relaxed(flags + 1);
    } else if (me == 1) {
        gpu::store_relaxed(flags + 1, 1);
    } else {
        while (gpu::load_relaxed(flags + 1) == 0) gpu::spin();
        gpu::fence();
        seen[1] = gpu::load_relaxed(flags);
    }
}

/* Two blocks exclude each other: of two who say whose turn it is, the one who said it last waits
 * (Peterson, 1981). That takes fences on both sides. */
template <bool careful>
GPU_KERNEL void take_turns(int *wants, int *turn, int *sum, int rounds) {
    const int me = static_cast<int>(gpu::block()), other = 1 - me;
    for (int i = 0; i < rounds; i++) {
        gpu::store_relaxed(wants + me, 1);
        if (careful) gpu::fence();
        gpu::store_relaxed(turn, other);
        gpu::fence();
        while (gpu::load_relaxed(wants + other) == 1 && gpu::load_relaxed(turn) == other) {
            gpu::spin();
        }
        gpu::fence();
        *sum += 1;
        gpu::fence();
        gpu::store_relaxed(wants + me, 0);
    }
}

/* All threads of block 0 raise a flag, behind a barrier of the block or of their warp. Where it has
 * the number already, as a launch before has left it, it says nothing. */
enum raised_by { RAISED_BY_RELEASE, RAISED_BY_STORE, RAISED_BY_UPDATE };
template <raised_by how>
GPU_KERNEL void all_raise(int *data, int *flag, int *out, int number, bool by_warp) {
    unsigned me = gpu::thread();
    if (gpu::block() == 0) {
        data[me] = number;
        if (by_warp) {
            gpu::sync_warp(gpu::full_warp);
        } else {
            gpu::sync();
        }
        if (how != RAISED_BY_RELEASE) gpu::fence();
        if (how == RAISED_BY_RELEASE) gpu::store_release(flag, number);
        if (how == RAISED_BY_STORE) gpu::store_relaxed(flag, number);
        if (how == RAISED_BY_UPDATE) gpu::atomic_max(flag, number);
        return;
    }
    while (gpu::load_acquire(flag) != number) gpu::spin();
    out[me] = data[me ^ 31];
}

/* Blocks wait for a flag and raise it again: whoever finds it raised knows what the first one
 * wrote, and not the others. */
template <bool careful>
GPU_KERNEL void raise_again(int *data, int *flag, int *out) {
    unsigned me = gpu::block();
    while (me > 0 && gpu::load_acquire(flag) == 0) gpu::spin();
    if (me > 0) out[me] = data[careful ? 0 : me - 1];
    data[me] = 1;
    gpu::store_release(flag, 1);
}

/* A fence behind the flag, or before the wait for it, orders nothing that matters. */
template <bool behind>
GPU_KERNEL void fence_in_the_wrong_place(int *data, int *flag, int *out) {
    if (gpu::block() == 0) {
        gpu::store_relaxed(data, 7);
        if (!behind) gpu::fence();
        gpu::store_relaxed(flag, 1);
        if (behind) gpu::fence();
        return;
    }
    if (!behind) gpu::fence();
    while (gpu::load_relaxed(flag) == 0) gpu::spin();
    if (behind) gpu::fence();
    *out = gpu::load_relaxed(data);
}

}  // namespace broken

#endif
