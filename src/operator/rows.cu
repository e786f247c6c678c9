/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs with one result for each row of a CSR matrix, on the GPU. */
#include "gpu/loop.cuh"
#include "operator/functions.h"
#include "operator/row.h"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void diagonals(tulle__rows_job job) {
    for (int64_t i = loop_first(); i < job.csr.rows; i += loop_stride()) {
        tulle__number_put(job.type, job.to, i, tulle__row_diagonal(&job, i));
    }
}

GPU_KERNEL void diagonal_blocks(tulle__rows_job job, int64_t rows) {
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) tulle__fill_block_row(&job, i);
}

/* Number of lanes per row. */
constexpr int residual_lanes = 8;

GPU_KERNEL void residuals(tulle__rows_job job) {
    const int64_t lanes = job.csr.rows * residual_lanes;
    const int64_t all = (lanes + warp_lanes - 1) / warp_lanes * warp_lanes;
    for (int64_t t = loop_first(); t < all; t += loop_stride()) {
        const int64_t row = t / residual_lanes;
        const bool is_row = row < job.csr.rows;
        tulle__twofold sum = {0, 0};
        if (is_row) sum = tulle__row_residual(&job, row, t % residual_lanes, residual_lanes);
        for (int half = residual_lanes / 2; half > 0; half /= 2) {
            const double other = shuffle_down(full_warp, sum.sum, half, residual_lanes);
            const double lost = shuffle_down(full_warp, sum.lost, half, residual_lanes);
            tulle__twofold_add(&sum, other, lost);
        }
        if (!is_row || t % residual_lanes != 0) continue;
        tulle__twofold_add(&sum, tulle__number_at(job.type, job.b, row), 0);
        job.r[row] = sum.sum + sum.lost;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(diagonal)(const tulle__place *place, const tulle__rows_job *job) {
    return gpu::launch(place, gpu::diagonals, gpu::loop_grid(job->csr.rows), *job);
}

tulle_status GPU_SYMBOL(diagonal_blocks)(const tulle__place *place, const tulle__rows_job *job) {
    const int64_t rows = tulle__ceil_div(job->csr.rows, job->block) * job->block;
    return gpu::launch(place, gpu::diagonal_blocks, gpu::loop_grid(rows), *job, rows);
}

tulle_status GPU_SYMBOL(residual)(const tulle__place *place, const tulle__rows_job *job) {
    const int64_t lanes = job->csr.rows * gpu::residual_lanes;
    return gpu::launch(place, gpu::residuals, gpu::loop_grid(lanes), *job);
}
