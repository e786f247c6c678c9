/* SPDX-License-Identifier: Apache-2.0 */
/* From sorted pairs of points to entries, and what comes to each, on the GPU. */
#include "fem/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {

/* 1 where the column of a sorted pair is not that of the one before it; 0 at the end. */
GPU_KERNEL void mark_columns(int64_t sorted, const int32_t *cols_of, int64_t *begins) {
    for (int64_t t = loop_first(); t <= sorted; t += loop_stride()) {
        begins[t] = t < sorted && (t == 0 || load(cols_of + t) != load(cols_of + t - 1));
    }
}

/* And 1 where a row begins. */
GPU_KERNEL void mark_row_starts(int64_t rows, const int64_t *starts, int64_t *begins) {
    for (int64_t row = loop_first(); row < rows; row += loop_stride()) {
        const int64_t first = load(starts + row);
        if (first < load(starts + row + 1)) begins[first] = 1;
    }
}

GPU_KERNEL void write_entries(tulle__entries_job job, tulle__fem_blocks blocks) {
    job.blocks = &blocks;
    for (int64_t t = loop_first(); t < job.sorted; t += loop_stride()) tulle__write_entry(&job, t);
}

GPU_KERNEL void write_offsets(tulle__entries_job job) {
    for (int64_t row = loop_first(); row <= job.rows; row += loop_stride()) {
        tulle__write_offset(&job, row);
    }
}

GPU_KERNEL void write_places(tulle__places_job job, tulle__fem_blocks blocks) {
    job.blocks = &blocks;
    for (int64_t t = loop_first(); t < job.sorted; t += loop_stride()) tulle__write_place(&job, t);
}

GPU_KERNEL void write_ends(int64_t rows, const int64_t *starts, int64_t size, void *ends) {
    for (int64_t row = loop_first(); row <= rows; row += loop_stride()) {
        tulle__put(ends, size, row, starts[row]);
    }
}

GPU_KERNEL void mark_masked(tulle__masked_job job) {
    for (int64_t k = loop_first(); k <= job.csr.nnz; k += loop_stride()) {
        job.count_before[k] = k < job.csr.nnz && tulle__mask_of(&job, k) != 0;
    }
}

GPU_KERNEL void list_masked(tulle__masked_job job) {
    for (int64_t k = loop_first(); k < job.csr.nnz; k += loop_stride()) {
        tulle__list_masked_entry(&job, k);
    }
}

/* The sums before each of the numbers in place, the last one being that of all. */
inline tulle_status count_up(const tulle__place *place, int64_t *numbers, int64_t count,
                             int64_t *host_all) {
    GPU_TRY(exclusive_scan<int64_t>(place, numbers, numbers, count + 1));
    return to_host(place, host_all, numbers + count, sizeof *host_all);
}

/* The job for kernels, without pointers into the host's memory. */
inline tulle__entries_job for_device(const tulle__entries_job *job) {
    tulle__entries_job given = *job;
    given.blocks = nullptr;
    given.host_entries = nullptr;
    return given;
}

inline tulle__masked_job for_device(const tulle__masked_job *job) {
    tulle__masked_job given = *job;
    given.host_count = nullptr;
    return given;
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(count_entries)(const tulle__place *place, const tulle__entries_job *job) {
    GPU_TRY(gpu::launch(place, gpu::mark_columns, gpu::loop_grid(job->sorted + 1), job->sorted,
                        job->cols_of, job->entry_of));
    GPU_TRY(gpu::launch(place, gpu::mark_row_starts, gpu::loop_grid(job->rows), job->rows,
                        job->starts, job->entry_of));
    return gpu::count_up(place, job->entry_of, job->sorted, job->host_entries);
}

tulle_status GPU_SYMBOL(write_entries)(const tulle__place *place, const tulle__entries_job *job) {
    GPU_TRY(gpu::launch(place, gpu::write_entries, gpu::loop_grid(job->sorted),
                        gpu::for_device(job), *job->blocks));
    return gpu::launch(place, gpu::write_offsets, gpu::loop_grid(job->rows + 1),
                       gpu::for_device(job));
}

tulle_status GPU_SYMBOL(write_places)(const tulle__place *place, const tulle__places_job *job) {
    tulle__places_job given = *job;
    given.blocks = nullptr;
    GPU_TRY(
        gpu::launch(place, gpu::write_places, gpu::loop_grid(job->sorted), given, *job->blocks));
    return gpu::launch(place, gpu::write_ends, gpu::loop_grid(job->rows + 1), job->rows,
                       job->starts, int64_t{job->wide ? 8 : 4}, job->ends);
}

tulle_status GPU_SYMBOL(count_masked)(const tulle__place *place, const tulle__masked_job *job) {
    GPU_TRY(gpu::launch(place, gpu::mark_masked, gpu::loop_grid(job->csr.nnz + 1),
                        gpu::for_device(job)));
    return gpu::count_up(place, job->count_before, job->csr.nnz, job->host_count);
}

tulle_status GPU_SYMBOL(list_masked)(const tulle__place *place, const tulle__masked_job *job) {
    return gpu::launch(place, gpu::list_masked, gpu::loop_grid(job->csr.nnz), gpu::for_device(job));
}
