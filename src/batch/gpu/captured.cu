/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/functions.h"
#include "gpu/captured.cuh"

tulle_status GPU_SYMBOL(batch_captured)(const tulle__place *place, bool *captured) {
    return gpu::is_captured(place, captured);
}
