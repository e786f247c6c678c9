/* SPDX-License-Identifier: Apache-2.0 */
/* Relaxed data beside a flag, and what may still be seen of what they overwrote. */
#ifndef TULLE_TESTS_EMULATOR_BROKEN_OVERWRITTEN_CUH
#define TULLE_TESTS_EMULATOR_BROKEN_OVERWRITTEN_CUH

#include "gpu/gpu.cuh"

namespace broken {

/* How the data are written, and how the flag hands them on. */
enum written_by { BY_STORE, BY_ADDITION, BY_EXCHANGE };
enum handed_on_by { BY_NOTHING, BY_FENCES, BY_RELEASE, BY_ONE_FENCE };

template <written_by how, class T>
GPU_FUNCTION void put(T *data, T value) {
    if constexpr (how == BY_STORE) gpu::store_relaxed(data, value);
    if constexpr (how == BY_ADDITION) gpu::atomic_add(data, value);
    if constexpr (how == BY_EXCHANGE) gpu::atomic_exchange(data, value);
}

/* Block 0 writes data and raises a flag, for which the others wait before they look at the data. */
template <written_by how, handed_on_by flag_is, class T>
GPU_KERNEL void data_beside_flag(T *data, int *flag, T *out) {
    if (gpu::block() == 0) {
        put<how>(data, T(7));
        if (flag_is == BY_FENCES || flag_is == BY_ONE_FENCE) gpu::fence();
        if (flag_is == BY_RELEASE) {
            gpu::store_release(flag, 1);
        } else {
            gpu::store_relaxed(flag, 1);
        }
        return;
    }
    if (flag_is == BY_RELEASE) {
        while (gpu::load_acquire(flag) == 0) gpu::spin();
    } else {
        while (gpu::load_relaxed(flag) == 0) gpu::spin();
    }
    if (flag_is == BY_FENCES) gpu::fence();
    out[gpu::block()] = gpu::load_relaxed(data);
}

/* The same, and the data are taken by an update: which, if it may, comes before the store. */
template <written_by how, handed_on_by flag_is, class T>
GPU_KERNEL void data_taken(T *data, int *flag, T *out) {
    if (gpu::block() == 0) {
        put<how>(data, T(7));
        if (flag_is == BY_RELEASE) {
            gpu::store_release(flag, 1);
        } else {
            gpu::store_relaxed(flag, 1);
        }
        return;
    }
    if (flag_is == BY_RELEASE) {
        while (gpu::load_acquire(flag) == 0) gpu::spin();
    } else {
        while (gpu::load_relaxed(flag) == 0) gpu::spin();
    }
    *out = gpu::atomic_exchange(data, T(9));
}

/* Counts before what it counts from is there for sure. */
template <bool careful>
GPU_KERNEL void counts_from_zero(int *count) {
    if (gpu::thread() == 0) gpu::store_relaxed(count, 0);
    if (careful) gpu::sync();
    gpu::atomic_add(count, 1);
}

/* A number of 64 bits that is read by halves, and the other way round. */
template <bool careful>
GPU_KERNEL void halves(int64_t *whole, int *half, int *flag, int64_t *out) {
    int *parts = reinterpret_cast<int *>(whole);
    int64_t *two = reinterpret_cast<int64_t *>(half);
    if (gpu::block() == 0) {
        gpu::store_relaxed(whole, (INT64_C(3) << 32) + 5);
        gpu::store_relaxed(half, 7);
        gpu::store_relaxed(half + 1, 9);
        if (careful) gpu::fence();
        gpu::store_relaxed(flag, 1);
        return;
    }
    while (gpu::load_relaxed(flag) == 0) gpu::spin();
    if (careful) gpu::fence();
    out[0] = gpu::load_relaxed(parts);
    out[1] = gpu::load_relaxed(parts + 1);
    out[2] = gpu::load_relaxed(two);
}

/* Each block looks once at the flags of the others, and takes plain data of those that are raised.
 */
template <bool careful>
GPU_KERNEL void looks_once(int *data, int *flags, int *out) {
    unsigned me = gpu::block();
    data[me] = 1;
    if (careful) gpu::fence();
    gpu::store_relaxed(flags + me, 1);
    int sum = 0;
    for (unsigned b = 0; b < gpu::grid_size(); b++) {
        int raised = b == me ? 0 : gpu::load_relaxed(flags + b);
        if (raised && careful) gpu::fence();
        if (raised) sum += data[b];
    }
    out[me] = sum;
}

/* One block looks once, when the other one has raised its flag for sure. */
GPU_KERNEL void looks_late(int *data, int *flag, int *out) {
    if (gpu::block() == 0) {
        *data = 7;
        gpu::store_relaxed(flag, 1);
        return;
    }
    for (int i = 0; i < 100; i++) gpu::spin();
    if (gpu::load_relaxed(flag)) *out = *data;
}

/* The last block adds up what the others have added, with or without fences. */
template <bool careful>
GPU_KERNEL void last_block_looks(int *parts, int *tickets, int *sum) {
    int blocks = static_cast<int>(gpu::grid_size());
    gpu::atomic_add(parts + gpu::block(), 1);
    if (careful) gpu::fence();
    if (gpu::atomic_add(tickets, 1) < blocks - 1) return;
    if (careful) gpu::fence();
    int all = 0;
    for (int b = 0; b < blocks; b++) all += gpu::load_relaxed(parts + b);
    *sum = all;
}

/* Who has seen a number sees no older one. How thread 0 of block 1 meets the new one: it waits for
 * it; it updates, before or after; it writes the same; somebody tells it who has waited. */
enum met_by { BY_WAITING, BY_UPDATING, BY_WRITING, BY_HEARING };
template <met_by how>
GPU_KERNEL void looks_again(int *data, int *flag, int *out) {
    unsigned b = gpu::block();
    if (b == 0) {
        gpu::store_relaxed(data, 7);
        gpu::store_relaxed(flag, 1);
    } else if (b == 1) {
        while (gpu::load_relaxed(flag) == 0) gpu::spin();
        if (how == BY_WAITING) {
            while (gpu::load_relaxed(data) == 0) gpu::spin();
        } else if (how == BY_UPDATING) {
            out[0] = gpu::atomic_max(data, 0);
        } else if (how == BY_WRITING) {
            gpu::store_relaxed(data, 7);
        } else {
            while (gpu::load_acquire(flag + 1) == 0) gpu::spin();
        }
        out[1] = gpu::load_relaxed(data);
    } else {
        while (gpu::load_relaxed(data) == 0) gpu::spin();
        gpu::store_release(flag + 1, 1);
    }
}

/* A counter that is released again and again: an older value brings what came before it. */
GPU_KERNEL void counts_up(int *data, int *counter, int *out) {
    if (gpu::block() == 0) {
        for (int i = 0; i < 3; i++) {
            data[i] = i + 1;
            gpu::store_release(counter, i + 1);
        }
        return;
    }
    int known = 0;
    while ((known = gpu::load_acquire(counter)) == 0) gpu::spin();
    for (int i = 0; i < known; i++) out[i] = data[i];
}

/* Within a block: after a barrier, or, in a warp, after sync_warp; or after neither. */
GPU_KERNEL void looks_at_neighbour(int *data, int *out, int barrier) {
    unsigned me = gpu::thread();
    gpu::store_relaxed(data + me, 1);
    if (barrier == 1) gpu::sync();
    if (barrier == 2) gpu::sync_warp(gpu::full_warp);
    if (barrier == 0) {
        while (gpu::atomic_max(data + (me ^ 1), 0) == 0) gpu::spin();
    }
    out[me] = gpu::load_relaxed(data + (me ^ (barrier == 0 ? 2 : 1)));
}

/* The middle of the block raises a flag for which both ends wait. */
template <bool by_load>
GPU_KERNEL void ends_wait_without_spin(int *flag) {
    unsigned me = gpu::thread();
    if (me > 7 && me < 24) {
        gpu::store_release(flag, 1);
    } else if (by_load) {
        while (gpu::load_relaxed(flag) == 0) continue;
    } else {
        while (gpu::atomic_max(flag, 0) == 0) continue;
    }
}

GPU_KERNEL void stores(int *data) {
    gpu::store_relaxed(data, 7);
}
GPU_KERNEL void takes_relaxed(int *data, int *out) {
    out[gpu::thread()] = gpu::load_relaxed(data);
}

}  // namespace broken

#endif
