/* SPDX-License-Identifier: Apache-2.0 */
/* Which memory both the device and the host's threads read and write at the same address. */
#ifndef TULLE_GPU_REACH_CUH
#define TULLE_GPU_REACH_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

#if defined(TULLE__EMULATOR)
/* All is the host's. */
inline tulle_status host_reads(tulle__device *, const void *, bool *reads) {
    *reads = true;
    return TULLE_OK;
}
#else
/* Page-locked memory of the host's. Not managed memory, whose pages move to who touches them. */
tulle_status host_reads(tulle__device *device, const void *address, bool *reads);
#endif

}  // namespace TULLE_GPU_NAMESPACE

#endif
