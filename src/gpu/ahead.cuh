/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches a line of global memory into the L2, for a load that comes later. The fetch orders
 * nothing, waits for nothing and takes no register; the later load gets the contents of the line at
 * its own time. */
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
