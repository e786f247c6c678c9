/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of numbers of elements, on the GPU: who owns a number adds up all that comes to it, in its
 * order. Lists have neighbours side by side for neighbouring threads; so have element-major
 * matrices where the rows of an element come to a row of A, and interleaved ones where neighbouring
 * rows get the same entry of neighbouring elements. */
#include "core/access.h"
#include "fem/functions.h"
#include "fem/gpu/sums.cuh"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Number (r, c) of the pair that a place of the list says. */
template <class V, bool one_block>
struct element_number {
    const tulle__sums_job &job;
    int r, c;
    GPU_FUNCTION V operator()(int64_t from) const {
        const tulle__fem_source &s = one_block ? job.source[0] : *tulle__source_of(&job, from);
        return load(static_cast<const V *>(s.values) +
                    (from - s.first + r * s.r_step + c * s.c_step));
    }
};

template <class V, class From, bool one_block>
GPU_FUNCTION void put_sum(const tulle__sums_job &job, V beta, int64_t item, int r, int c,
                          int64_t slot) {
    V *to = static_cast<V *>(job.values) + slot * job.step;
    const element_number<V, one_block> number = {job, r, c};
    const V before = beta == V{0} ? V{0} : beta * *to;
    const V sum = add_listed<V, From>(job.ends, job.from, item, before, number);
    *to = job.masked && load(job.masked + slot) ? V{0} : sum;
}

template <class V, class From, bool one_block>
GPU_KERNEL void sum_items(tulle__sums_job job, scalar<V> beta) {
    const V b = beta.value();
    const int cells = job.rows * job.cols;
    if (cells == 1) {
        for (int64_t i = loop_first(); i < job.items; i += loop_stride()) {
            put_sum<V, From, one_block>(job, b, i, 0, 0, i);
        }
        return;
    }
    for (loop_pairs i(cells); i.outer < job.items; i.next()) {
        const int rc = static_cast<int>(i.inner);
        put_sum<V, From, one_block>(job, b, i.outer, rc / job.cols, rc % job.cols,
                                    i.outer * cells + rc);
    }
}

/* A thread a row: neighbours write neighbours, and each reads along its own part of the lists. */
template <class V, class From, bool one_block>
GPU_KERNEL void sum_ell(tulle__sums_job job, scalar<V> beta) {
    const V b = beta.value();
    const int64_t size = tulle_offset_size(job.index);
    for (int64_t row = loop_first(); row < job.ell_rows; row += loop_stride()) {
        const int64_t first = tulle__get(job.offsets, size, row);
        const int64_t end = tulle__get(job.offsets, size, row + 1);
        for (int64_t k = first; k < end; k++) {
            put_sum<V, From, one_block>(job, b, k, 0, 0, (k - first) * job.stride + row);
        }
    }
}

template <class V, class From, bool one_block>
tulle_status sum(const tulle__place *place, const tulle__sums_job *job) {
    if (job->offsets) {
        return launch(place, sum_ell<V, From, one_block>, loop_grid(job->ell_rows), *job,
                      make_scalar<V>(job->beta));
    }
    return launch(place, sum_items<V, From, one_block>,
                  loop_grid(job->items * job->rows * job->cols), *job, make_scalar<V>(job->beta));
}

template <class V>
tulle_status sum_of_type(const tulle__place *place, const tulle__sums_job *job) {
    if (job->wide) return sum<V, uint64_t, false>(place, job);
    return job->sources == 1 ? sum<V, uint32_t, true>(place, job)
                             : sum<V, uint32_t, false>(place, job);
}

GPU_KERNEL void mask_entries(tulle__mask_job job) {
    bool zero = false;
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) {
        zero = tulle__mask_entry(&job, k) || zero;
    }
    if (zero) atomic_or(job.zeros, 1u);
}

/* The largest of what all threads of the one block have found, for all of them. Magnitudes are in
 * the order of their bits. */
GPU_FUNCTION double largest_of_block(double largest, shared<uint64_t> most) {
    if (thread() == 0) most[0] = 0;
    sync();
    union {
        double number;
        uint64_t bits;
    } found = {largest};
    if (largest > 0) atomic_max(most + 0, found.bits);
    sync();
    found.bits = most[0];
    return found.number;
}

/* One block: where nothing is 0, which is so but where nobody contributes, it ends at once. */
GPU_KERNEL void replace_zeros(tulle__mask_job job) {
    GPU_SHARED(uint64_t, most, 1);
    double largest = 0;
    if (load_relaxed(job.zeros) == 0) return;
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) {
        largest = tulle__masked_largest(&job, k, largest);
    }
    largest = largest_of_block(largest, most);
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) {
        tulle__put_largest(&job, k, largest);
    }
    if (thread() == 0) *job.zeros = 0;
}

/* One block, too. */
GPU_KERNEL void find_scales(tulle__scales_job job) {
    GPU_SHARED(uint64_t, most, 1);
    double largest = 0;
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) {
        largest = tulle__larger(largest, tulle__row_diagonal(&job, k));
    }
    largest = largest_of_block(largest, most);
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) {
        tulle__put_scale(&job, k, largest);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(sum_elements)(const tulle__place *place, const tulle__sums_job *job) {
    return job->type == TULLE_F32 ? gpu::sum_of_type<float>(place, job)
                                  : gpu::sum_of_type<double>(place, job);
}

tulle_status GPU_SYMBOL(mask_entries)(const tulle__place *place, const tulle__mask_job *job) {
    GPU_TRY(gpu::launch(place, gpu::mask_entries, gpu::loop_grid(job->count), *job));
    return gpu::launch(place, gpu::replace_zeros, gpu::grid{1, gpu::loop_threads}, *job);
}

tulle_status GPU_SYMBOL(find_scales)(const tulle__place *place, const tulle__scales_job *job) {
    return gpu::launch(place, gpu::find_scales, gpu::grid{1, gpu::loop_threads}, *job);
}
