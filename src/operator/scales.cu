/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on diagonals and on blocks along a diagonal, on the GPU. */
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"
#include "operator/block.h"
#include "operator/functions.h"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void invert_numbers(tulle__blocks_job job) {
    for (int64_t i = loop_first(); i < job.rows; i += loop_stride()) tulle__invert_number(&job, i);
}

constexpr uint64_t no_row = UINT64_MAX;

GPU_KERNEL void invert_blocks(tulle__blocks_job job, int64_t count, uint64_t *singular) {
    const int64_t cells = static_cast<int64_t>(job.block) * job.block;
    for (int64_t i = loop_first(); i < count; i += loop_stride()) {
        void *block = static_cast<char *>(job.blocks) + i * cells * tulle_type_size(job.type);
        if (tulle__invert_block(job.type, block, job.block)) continue;
        atomic_min(singular, static_cast<uint64_t>(i * job.block));
    }
}

template <class V>
GPU_KERNEL void apply_blocks(tulle__blocks_job job, scalar<V> a, scalar<V> b) {
    const double alpha = static_cast<double>(a.value()), beta = static_cast<double>(b.value());
    const int64_t count = job.rows * job.cols;
    for (int64_t i = loop_first(); i < count; i += loop_stride()) {
        tulle__apply_block(&job, alpha, beta, i % job.rows, i / job.rows);
    }
}

template <class V>
tulle_status apply(const tulle__place *place, const tulle__blocks_job *job) {
    return launch(place, apply_blocks<V>, loop_grid(job->rows * job->cols), *job,
                  make_scalar<V>(job->alpha), make_scalar<V>(job->beta));
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(invert_numbers)(const tulle__place *place, const tulle__blocks_job *job) {
    return gpu::launch(place, gpu::invert_numbers, gpu::loop_grid(job->rows), *job);
}

tulle_status GPU_SYMBOL(invert_blocks)(const tulle__place *place, const tulle__blocks_job *job) {
    gpu::scratch temporary(place);
    uint64_t *singular = nullptr, row = gpu::no_row;
    GPU_TRY(temporary.get(1, &singular));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, singular, 0xff, sizeof *singular));
    const int64_t count = tulle__block_count(job);
    GPU_TRY(gpu::launch(place, gpu::invert_blocks, gpu::loop_grid(count), *job, count, singular));
    GPU_TRY(gpu::to_host(place, &row, singular, sizeof row));
    *job->singular = row == gpu::no_row ? -1 : static_cast<int64_t>(row);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(apply_blocks)(const tulle__place *place, const tulle__blocks_job *job) {
    return job->type == TULLE_F32 ? gpu::apply<float>(place, job) : gpu::apply<double>(place, job);
}
