/* SPDX-License-Identifier: Apache-2.0 */
/* The split of a multiprocessor's memory into L1 and shared memory while a kernel runs. */
#ifndef TULLE_GPU_CARVE_CUH
#define TULLE_GPU_CARVE_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

tulle_status prefer_shared_raw(const tulle__place *place, const void *kernel, int percent);

/* Asks that so many percent, 0 to 100, of that memory are shared memory from the kernel's next
 * launch on. The request is a hint: blocks get the shared memory that they need in any case, and
 * the device rounds to its own steps. The emulated device has no L1, and only notes the request
 * (emulator/carve.h). */
template <class... P>
tulle_status prefer_shared(const tulle__place *place, void (*kernel)(P...), int percent) {
    return prefer_shared_raw(place, reinterpret_cast<const void *>(kernel), percent);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
