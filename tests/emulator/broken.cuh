/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with one mistake each. On the emulator every one is caught; on the device they are for
 * compute-sanitizer. */
#ifndef TULLE_TESTS_EMULATOR_BROKEN_CUH
#define TULLE_TESTS_EMULATOR_BROKEN_CUH

#include "gpu/gpu.cuh"

namespace broken {

GPU_KERNEL void missing_barrier(int *out) {
    GPU_SHARED(int, box, 1024);
    unsigned me = gpu::thread();
    box[me] = static_cast<int>(me);
    out[me] = box[gpu::block_size() - 1 - me];
}

/* What some have yet to read is overwritten. */
GPU_KERNEL void missing_second_barrier(int *out) {
    GPU_SHARED(int, box, 1);
    unsigned me = gpu::thread(), last = gpu::block_size() - 1;
    if (me == last) box[0] = 1;
    gpu::sync();
    out[me] = box[0];
    if (me == last) box[0] = 2;
}

/* Lanes of a warp do not run in step; a shuffle orders no memory. */
GPU_KERNEL void race_in_warp(int *out) {
    GPU_SHARED(int, box, 32);
    unsigned me = gpu::lane();
    box[me] = static_cast<int>(me);
    int v = gpu::shuffle(gpu::full_warp, 1, 0);
    out[me] = box[me ^ 1] + v;
}

/* The two halves do not wait for each other. */
GPU_KERNEL void race_between_halves(int *out) {
    GPU_SHARED(int, box, 32);
    unsigned me = gpu::lane();
    box[me] = static_cast<int>(me);
    gpu::sync_warp(me < 16 ? 0x0000ffffu : 0xffff0000u);
    out[me] = box[me ^ 16];
}

GPU_KERNEL void two_writers(double *out) {
    GPU_SHARED(double, box, 1);
    box[0] = gpu::thread();
    gpu::sync();
    out[gpu::thread()] = box[0];
}

GPU_KERNEL void atomics_before_the_zero_is_there(int *out) {
    GPU_SHARED(int, count, 1);
    if (gpu::thread() == 0) count[0] = 0;
    gpu::atomic_add(&count[0], 1);
    gpu::sync();
    if (gpu::thread() == 0) *out = count[0];
}

GPU_KERNEL void sum_read_too_early(int *out) {
    GPU_SHARED(int, count, 1);
    if (gpu::thread() == 0) count[0] = 0;
    gpu::sync();
    gpu::atomic_add(&count[0], 1);
    out[gpu::thread()] = count[0];
}

GPU_KERNEL void outside_shared(int *out, int past) {
    GPU_SHARED(int, other, 64);
    GPU_SHARED(int, box, 64);
    other[gpu::thread()] = 0;
    box[static_cast<int>(gpu::thread()) + past] = 1;
    gpu::sync();
    out[gpu::thread()] = other[gpu::thread()] + box[gpu::thread()];
}

GPU_KERNEL void outside_dynamic(int *out) {
    GPU_DYNAMIC_SHARED(int, box);
    box[gpu::thread() + 1] = 1;
    out[gpu::thread()] = box[gpu::thread() + 1];
}

GPU_KERNEL void outside_global(int *out, int count) {
    out[static_cast<int>(gpu::thread()) + count] = 1;
}

GPU_KERNEL void mask_without_caller(int *out) {
    out[gpu::lane()] = gpu::shuffle(0x0000ffffu, 1, 0);
}

GPU_KERNEL void lane_outside_mask(int *out) {
    if (gpu::lane() < 16) out[gpu::lane()] = gpu::shuffle(0x0000ffffu, 1, 20);
}

GPU_KERNEL void ended_lane(int *out) {
    if (gpu::lane() >= 16) return;
    out[gpu::lane()] = gpu::shuffle_down(gpu::full_warp, 1, 1u);
}

GPU_KERNEL void missing_lane(unsigned *out) {
    out[gpu::thread()] = gpu::ballot(gpu::full_warp, true);
}

GPU_KERNEL void odd_width(int *out) {
    out[gpu::lane()] = gpu::shuffle(gpu::full_warp, 1, 0, 12);
}

GPU_KERNEL void mixed_collectives(int *out) {
    bool v = gpu::lane() < 16 ? gpu::any(gpu::full_warp, true) : gpu::all(gpu::full_warp, true);
    out[gpu::lane()] = v;
}

GPU_KERNEL void mixed_masks(int *out) {
    unsigned mask = gpu::lane() < 16 ? gpu::full_warp : 0xfffffffeu;
    out[gpu::lane()] = gpu::any(mask, true);
}

GPU_KERNEL void barrier_of_some(int *out) {
    if (gpu::thread() % 2 == 0) gpu::sync();
    out[gpu::thread()] = 0;
}

GPU_KERNEL void starts_and_forgets(int *out) {
    gpu::allow_next();
    if (gpu::thread() == 3) return;
    gpu::await_previous();
    out[gpu::thread()] = 0;
}

GPU_KERNEL void two_barriers(int *out) {
    if (gpu::thread() < 32) {
        gpu::sync();
    } else {
        gpu::sync();
    }
    out[gpu::thread()] = 0;
}

/* Lane 0 waits for the others at one place, they for it at another. */
GPU_KERNEL void barrier_against_shuffle(int *out) {
    int v = 1;
    if (gpu::lane() == 0) {
        gpu::sync();
    } else {
        v = gpu::shuffle(gpu::full_warp, v, 1);
    }
    out[gpu::thread()] = v;
}

GPU_KERNEL void unwritten_shared(float *out) {
    GPU_SHARED(float, box, 64);
    if (gpu::thread() % 2 == 0) box[gpu::thread()] = 1;
    gpu::sync();
    out[gpu::thread()] = box[gpu::thread()];
}

/* Waits for the block before it, or (step 1) after it, which may not start before this one ends. */
GPU_KERNEL void waits_for_neighbour(int *flags, int step) {
    int other = static_cast<int>(gpu::block()) + step;
    if (gpu::thread() == 0 && other >= 0 && other < static_cast<int>(gpu::grid_size())) {
        while (gpu::load_acquire(flags + other) == 0) gpu::spin();
    }
    gpu::sync();
    if (gpu::thread() == 0) gpu::store_release(flags + gpu::block(), 1);
}

GPU_KERNEL void waits_without_spin(int *flag) {
    if (gpu::thread() == 0) {
        while (gpu::load_acquire(flag) == 0) continue;
    } else {
        gpu::store_release(flag, 1);
    }
}

}  // namespace broken

#endif
