/* SPDX-License-Identifier: Apache-2.0 */
/* Splits rows of a local matrix on the GPU: some lanes for each row, so that they read and write
 * neighbouring entries. */
#include "dist/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {

constexpr int64_t sift_lanes = 8;

/* All lanes of a warp make the same number of steps, as they add their numbers up. */
GPU_KERNEL void count_others(tulle__sift_job job) {
    const int64_t lane = loop_first() % sift_lanes, step = loop_stride() / sift_lanes;
    const int64_t first = loop_first() / sift_lanes - loop_first() % warp_lanes / sift_lanes;
    for (int64_t base = first; base <= job.rows; base += step) {
        const int64_t i = base + loop_first() % warp_lanes / sift_lanes;
        const int64_t begin = i < job.rows ? tulle__sift_offset(&job, i) : 0;
        const int64_t end = i < job.rows ? tulle__sift_offset(&job, i + 1) : 0;
        int64_t found = 0;
        for (int64_t k = begin + lane; k < end; k += sift_lanes) {
            const int64_t other = tulle__other_column(&job, tulle__sift_column(&job, k));
            if (other < 0) continue;
            found++;
            if (load_relaxed(job.used + other) == 0) store_relaxed(job.used + other, 1);
        }
        for (int far = sift_lanes / 2; far > 0; far /= 2) {
            found += shuffle_xor(full_warp, found, far);
        }
        if (lane > 0 || i > job.rows) continue;
        job.rows_before[i] = found > 0;
        job.entries_before[i] = found;
    }
}

GPU_KERNEL void sift_rows(tulle__sift_job job) {
    const int64_t lane = loop_first() % sift_lanes;
    for (int64_t i = loop_first() / sift_lanes; i <= job.rows; i += loop_stride() / sift_lanes) {
        tulle__sift_row(&job, i, lane, sift_lanes);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(dist_count_others)(const tulle__place *place, const tulle__sift_job *job,
                                           int64_t counted[2]) {
    const int64_t rows = job->rows;
    GPU_TRY(
        gpu::launch(place, gpu::count_others, gpu::loop_grid((rows + 1) * gpu::sift_lanes), *job));
    GPU_TRY(gpu::exclusive_scan(place, job->rows_before, job->rows_before, rows + 1));
    GPU_TRY(gpu::exclusive_scan(place, job->entries_before, job->entries_before, rows + 1));
    GPU_TRY(TULLE__HERE(copy)(place, counted, job->rows_before + rows, sizeof *counted));
    return gpu::to_host(place, counted + 1, job->entries_before + rows, sizeof *counted);
}

tulle_status GPU_SYMBOL(dist_sift)(const tulle__place *place, const tulle__sift_job *job) {
    return gpu::launch(place, gpu::sift_rows, gpu::loop_grid((job->rows + 1) * gpu::sift_lanes),
                       *job);
}
