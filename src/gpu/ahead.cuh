/* SPDX-License-Identifier: Apache-2.0 */
/* A line of global memory on its way to the L2, for a load that comes later. It orders nothing,
 * waits for nothing and takes no register: what is there when the line is loaded counts. */
#ifndef TULLE_GPU_AHEAD_CUH
#define TULLE_GPU_AHEAD_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

#if defined(TULLE__EMULATOR)
template <class T>
GPU_FUNCTION void send_ahead(const T *) {}
#else
template <class T>
GPU_FUNCTION void send_ahead(const T *p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
#endif

}  // namespace TULLE_GPU_NAMESPACE

#endif
