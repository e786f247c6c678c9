/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a number that other threads of the kernel change by atomics, in shared memory or global:
 * the number may be old by the time it is used, and the read orders no other data. */
#ifndef TULLE_GPU_PEEK_CUH
#define TULLE_GPU_PEEK_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

#if defined(TULLE__EMULATOR)
template <emulator_integer P>
GPU_FUNCTION emulator::target<P> peek(P p, const emulator::site &at = emulator::site::current()) {
    return emulator::atomic_read(p, at);
}
#else
template <class T>
GPU_FUNCTION T peek(const T *p) {
    return *static_cast<const volatile T *>(p);
}
#endif

}  // namespace TULLE_GPU_NAMESPACE

#endif
