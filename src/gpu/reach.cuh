/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which memory both the device and the host's threads can read and write at the same
 * address. */
#ifndef TULLE_GPU_REACH_CUH
#define TULLE_GPU_REACH_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

#if defined(TULLE__EMULATOR)
/* On the emulator all memory is the host's. */
inline tulle_status host_reads(tulle__device *, const void *, bool *reads) {
    *reads = true;
    return TULLE_OK;
}
#else
/* Sets *reads to true for page-locked host memory; not for managed memory, whose pages move to the
 * side that touches them. */
tulle_status host_reads(tulle__device *device, const void *address, bool *reads);
#endif

}  // namespace TULLE_GPU_NAMESPACE

#endif
