/* SPDX-License-Identifier: Apache-2.0 */
/* Joins rows of distributed matrices on the GPU: some lanes for each row, so that they read and
 * write neighbouring entries. */
#include "dist/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void measure_joined(tulle__join_job job, int64_t *lengths) {
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) {
        lengths[k] = tulle__joined_length(&job, k);
    }
}

constexpr int64_t join_lanes = 8;

GPU_KERNEL void join_rows(tulle__join_job job) {
    const int64_t lane = loop_first() % join_lanes;
    for (int64_t k = loop_first() / join_lanes; k < job.count; k += loop_stride() / join_lanes) {
        tulle__join_row(&job, k, lane, join_lanes);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(dist_measure)(const tulle__place *place, const tulle__join_job *job,
                                      int64_t *lengths) {
    if (job->count == 0) return TULLE_OK;
    return gpu::launch(place, gpu::measure_joined, gpu::loop_grid(job->count), *job, lengths);
}

tulle_status GPU_SYMBOL(dist_join)(const tulle__place *place, const tulle__join_job *job) {
    if (job->count == 0) return TULLE_OK;
    return gpu::launch(place, gpu::join_rows, gpu::loop_grid(job->count * gpu::join_lanes), *job);
}
