/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a device, beside its work. */
#include "batch/functions.h"
#include "gpu/captured.cuh"
#include "gpu/reach.cuh"

tulle_status GPU_SYMBOL(batch_captured)(const tulle__place *place, bool *captured) {
    return gpu::is_captured(place, captured);
}

tulle_status GPU_SYMBOL(batch_host_reads)(tulle__device *device, const void *array, bool *reads) {
    return gpu::host_reads(device, array, reads);
}
