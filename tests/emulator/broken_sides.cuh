/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are right by themselves, and may be wrong beside each other. */
#ifndef TULLE_TESTS_EMULATOR_BROKEN_SIDES_CUH
#define TULLE_TESTS_EMULATOR_BROKEN_SIDES_CUH

#include "gpu/gpu.cuh"

namespace broken {

GPU_KERNEL void fills(int *out, int value) {
    out[gpu::thread()] = value;
}
GPU_KERNEL void doubles(int *in_and_out) {
    in_and_out[gpu::thread()] *= 2;
}
GPU_KERNEL void takes(const int *in, int *out) {
    out[gpu::thread()] = in[gpu::thread()];
}
GPU_KERNEL void takes_as_constant(const int *in, int *out) {
    out[gpu::thread()] = gpu::load(in + gpu::thread());
}
GPU_KERNEL void counts(int *sum) {
    gpu::atomic_add(sum, 1);
}
GPU_KERNEL void looks(int *sum, int *out) {
    out[gpu::thread()] = gpu::load_relaxed(sum);
}

/* Waits for the grid before it: in time, or after its load. */
GPU_KERNEL void takes_early(const int *in, int *out, int late) {
    gpu::allow_next();
    if (!late) gpu::await_previous();
    int v = in[gpu::thread()];
    if (late) gpu::await_previous();
    out[gpu::thread()] = v;
}

}  // namespace broken

#endif
