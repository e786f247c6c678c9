/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of elements, and the pairs of points that elements make, on the GPU. */
#include "core/access.h"
#include "fem/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr uint64_t nothing_bad = UINT64_MAX;

GPU_KERNEL void number_points(tulle__points_job job, uint64_t *bad) {
    for (loop_pairs i(job.unknowns); i.outer < job.count; i.next()) {
        const int64_t node = tulle__get(job.list, job.size, i.outer);
        job.points[i.outer * job.unknowns + i.inner] =
            tulle__point_of(&job, node, static_cast<int>(i.inner));
        if (i.inner == 0 && (node < -1 || node >= job.nodes)) {
            atomic_min(bad, static_cast<uint64_t>(i.outer));
        }
    }
}

GPU_KERNEL void pair_points(tulle__pairs_job job, tulle__fem_block block) {
    const int64_t cells = static_cast<int64_t>(block.points) * block.points;
    for (loop_pairs i(cells); i.outer < block.count; i.next()) {
        const int32_t *list = block.list + i.outer * block.points;
        tulle__put_pair(&job, block.first_pair + i.outer * cells + i.inner,
                        load(list + i.inner / block.points), load(list + i.inner % block.points));
    }
}

GPU_KERNEL void place_points(tulle__pairs_job job, tulle__fem_block block) {
    const int64_t places = block.count * block.points;
    for (int64_t i = loop_first(); i < places; i += loop_stride()) {
        const int32_t point = load(block.list + i);
        tulle__put_pair(&job, block.first_place + i, point, point < 0 ? -1 : 0);
    }
}

GPU_KERNEL void pair_diagonals(tulle__pairs_job job) {
    for (int64_t i = loop_first(); i < job.points; i += loop_stride()) {
        const int32_t point = tulle__is_any_masked(&job, i) ? static_cast<int32_t>(i) : -1;
        tulle__put_pair(&job, job.first + i, point, point);
    }
}

/* The job for a kernel, without the pointer into the host's memory. */
inline tulle__pairs_job without_block(const tulle__pairs_job *job) {
    tulle__pairs_job given = *job;
    given.block = nullptr;
    return given;
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(number_points)(const tulle__place *place, const tulle__points_job *job) {
    gpu::scratch memory(place);
    uint64_t *bad = nullptr, found = gpu::nothing_bad;
    tulle__points_job given = *job;
    given.host_bad = nullptr;
    GPU_TRY(memory.get(1, &bad));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, bad, 0xff, sizeof *bad));
    GPU_TRY(gpu::launch(place, gpu::number_points, gpu::loop_grid(job->count * job->unknowns),
                        given, bad));
    GPU_TRY(gpu::to_host(place, &found, bad, sizeof found));
    *job->host_bad = found == gpu::nothing_bad ? -1 : static_cast<int64_t>(found);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(pair_points)(const tulle__place *place, const tulle__pairs_job *job) {
    const int64_t cells = static_cast<int64_t>(job->block->points) * job->block->points;
    return gpu::launch(place, gpu::pair_points, gpu::loop_grid(job->block->count * cells),
                       gpu::without_block(job), *job->block);
}

tulle_status GPU_SYMBOL(place_points)(const tulle__place *place, const tulle__pairs_job *job) {
    return gpu::launch(place, gpu::place_points,
                       gpu::loop_grid(job->block->count * job->block->points),
                       gpu::without_block(job), *job->block);
}

tulle_status GPU_SYMBOL(pair_diagonals)(const tulle__place *place, const tulle__pairs_job *job) {
    return gpu::launch(place, gpu::pair_diagonals, gpu::loop_grid(job->points), *job);
}
