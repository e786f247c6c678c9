/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/carve.cuh"

#include "gpu/cuda/device.cuh"

namespace tulle_cuda {

tulle_status prefer_shared_raw(const tulle__place *place, const void *kernel, int percent) {
    on_device here(place->device);
    GPU_TRY(here.status());
    return check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent),
        "cudaFuncSetAttribute");
}

}  // namespace tulle_cuda
