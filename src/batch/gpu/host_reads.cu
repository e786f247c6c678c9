/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/functions.h"
#include "gpu/reach.cuh"

tulle_status GPU_SYMBOL(batch_host_reads)(tulle__device *device, const void *array, bool *reads) {
    return gpu::host_reads(device, array, reads);
}
