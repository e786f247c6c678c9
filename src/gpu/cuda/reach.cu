/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/reach.cuh"

#include "gpu/cuda/device.cuh"

namespace tulle_cuda {

tulle_status host_reads(tulle__device *device, const void *address, bool *reads) {
    *reads = false;
    on_device here(device);
    GPU_TRY(here.status());
    cudaPointerAttributes found;
    GPU_TRY(check(cudaPointerGetAttributes(&found, address), "cudaPointerGetAttributes"));
    *reads = found.type == cudaMemoryTypeHost && found.hostPointer == found.devicePointer;
    return TULLE_OK;
}

}  // namespace tulle_cuda
