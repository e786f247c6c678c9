/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of rows that came: which other ones there are, and their numbers in a local matrix, on
 * the GPU. */
#include "dist/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void place_columns(tulle__place_job job) {
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) tulle__place_column(&job, k);
}

/* Keys of columns, of which the own ones come behind all others. */
GPU_KERNEL void key_columns(tulle__others_job job, uint64_t *keys, int64_t *columns) {
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) {
        const int64_t column = load(job.columns + k);
        const bool own = column >= job.begin && column < job.end;
        columns[k] = own ? job.all : column;
        keys[k] = static_cast<uint64_t>(columns[k]);
    }
}

/* Marks the first one of equal columns, and no own one. */
GPU_KERNEL void mark_others(tulle__others_job job, const int64_t *sorted, int64_t *marks) {
    for (int64_t k = loop_first(); k <= job.count; k += loop_stride()) {
        const bool other = k < job.count && sorted[k] < job.all;
        marks[k] = other && (k == 0 || sorted[k - 1] != sorted[k]);
    }
}

GPU_KERNEL void list_marked(tulle__others_job job, const int64_t *sorted, const int64_t *before) {
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) {
        if (before[k + 1] > before[k]) job.others[before[k]] = sorted[k];
    }
}

inline tulle_status list_others(const tulle__place *place, const tulle__others_job *job,
                                int64_t *found) {
    const int64_t count = job->count;
    const grid all = loop_grid(count);
    scratch memory(place);
    uint64_t *keys = nullptr, *sorted_keys = nullptr;
    int64_t *columns = nullptr, *sorted = nullptr, *before = nullptr;
    GPU_TRY(memory.get(count, &keys));
    GPU_TRY(memory.get(count, &sorted_keys));
    GPU_TRY(memory.get(count, &columns));
    GPU_TRY(memory.get(count, &sorted));
    GPU_TRY(memory.get(count + 1, &before));
    GPU_TRY(launch(place, key_columns, all, *job, keys, columns));
    GPU_TRY(sort_pairs(place, count, keys, sorted_keys, columns, sorted, key_bits(job->all + 1)));
    GPU_TRY(launch(place, mark_others, loop_grid(count + 1), *job, sorted, before));
    GPU_TRY(exclusive_scan(place, before, before, count + 1));
    GPU_TRY(launch(place, list_marked, all, *job, sorted, before));
    return to_host(place, found, before + count, sizeof *found);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(dist_place)(const tulle__place *place, const tulle__place_job *job) {
    if (job->count == 0) return TULLE_OK;
    return gpu::launch(place, gpu::place_columns, gpu::loop_grid(job->count), *job);
}

tulle_status GPU_SYMBOL(dist_list_others)(const tulle__place *place, const tulle__others_job *job,
                                          int64_t *found) {
    *found = 0;
    return job->count > 0 ? gpu::list_others(place, job, found) : TULLE_OK;
}
