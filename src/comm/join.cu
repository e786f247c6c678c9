/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up parts on the GPU: a warp for each item. The first lane adds few parts one after the
 * other, as a CPU does; of many parts each lane adds a share, and the shares are added in pairs. */
#include "comm/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_KERNEL void join(tulle__join job) {
    const V *from = static_cast<const V *>(job.from) + block() * job.item_step;
    const bool in_order = job.parts <= TULLE__JOIN_IN_ORDER;
    const int64_t step = in_order ? 1 : warp_lanes;
    double sum = 0;
    for (int64_t p = in_order ? 0 : lane(); p < job.parts; p += step) {
        sum += static_cast<double>(from[p * job.part_step]);
    }
    for (int lanes = warp_lanes / 2; !in_order && lanes > 0; lanes /= 2) {
        sum += shuffle_xor(full_warp, sum, lanes);
    }
    if (lane() == 0) static_cast<V *>(job.to)[block()] = static_cast<V>(sum);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(join_parts)(const tulle__place *place, const tulle__join *job) {
    const gpu::grid grid = {job->items, gpu::warp_lanes};
    if (job->items == 0) return TULLE_OK;
    return job->type == TULLE_F32 ? gpu::launch(place, gpu::join<float>, grid, *job)
                                  : gpu::launch(place, gpu::join<double>, grid, *job);
}
