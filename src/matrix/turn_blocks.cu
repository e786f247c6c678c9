/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/loop.cuh"
#include "matrix/turn_block.h"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void turn_items(tulle__block_turning job, int64_t count) {
    for (int64_t i = loop_first(); i < count; i += loop_stride()) tulle__turn_item(&job, i);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(turn_blocks)(const tulle__place *place, const tulle__block_turning *job) {
    const int64_t count = tulle__turned_items(job);
    return gpu::launch(place, gpu::turn_items, gpu::loop_grid(count), *job, count);
}
