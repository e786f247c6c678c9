/* SPDX-License-Identifier: Apache-2.0 */
#include "core/access.h"
#include "gpu/loop.cuh"
#include "spgemm/functions.h"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void take_lengths(int64_t rows, int64_t size, const void *offsets, int64_t *unfit,
                             uint8_t *lengths) {
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) {
        const int64_t length = tulle__get(offsets, size, i + 1) - tulle__get(offsets, size, i);
        if (length > UINT8_MAX) atomic_max(unfit, int64_t{1});
        lengths[i] = static_cast<uint8_t>(length);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(take_lengths)(const tulle__place *place, int64_t rows, int64_t size,
                                      const void *offsets, int64_t *unfit, uint8_t *lengths) {
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, unfit, 0, sizeof *unfit));
    return gpu::launch(place, gpu::take_lengths, gpu::loop_grid(rows), rows, size, offsets, unfit,
                       lengths);
}
