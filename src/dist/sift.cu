/* SPDX-License-Identifier: Apache-2.0 */
/* Splits rows of a local matrix on the GPU: a thread for each row. */
#include "dist/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void count_others(tulle__sift_job job) {
    for (int64_t i = loop_first(); i <= job.rows; i += loop_stride()) {
        const int64_t begin = tulle__sift_offset(&job, i);
        const int64_t end = i < job.rows ? tulle__sift_offset(&job, i + 1) : begin;
        int64_t found = 0;
        for (int64_t k = begin; k < end; k++) {
            const int64_t other = tulle__other_column(&job, tulle__sift_column(&job, k));
            if (other < 0) continue;
            found++;
            if (load_relaxed(job.used + other) == 0) store_relaxed(job.used + other, 1);
        }
        job.rows_before[i] = found > 0;
        job.entries_before[i] = found;
    }
}

GPU_KERNEL void sift_rows(tulle__sift_job job) {
    for (int64_t i = loop_first(); i <= job.rows; i += loop_stride()) tulle__sift_row(&job, i);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(dist_count_others)(const tulle__place *place, const tulle__sift_job *job,
                                           int64_t counted[2]) {
    const int64_t rows = job->rows;
    GPU_TRY(gpu::launch(place, gpu::count_others, gpu::loop_grid(rows + 1), *job));
    GPU_TRY(gpu::exclusive_scan(place, job->rows_before, job->rows_before, rows + 1));
    GPU_TRY(gpu::exclusive_scan(place, job->entries_before, job->entries_before, rows + 1));
    GPU_TRY(TULLE__HERE(copy)(place, counted, job->rows_before + rows, sizeof *counted));
    return gpu::to_host(place, counted + 1, job->entries_before + rows, sizeof *counted);
}

tulle_status GPU_SYMBOL(dist_sift)(const tulle__place *place, const tulle__sift_job *job) {
    return gpu::launch(place, gpu::sift_rows, gpu::loop_grid(job->rows + 1), *job);
}
