/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of numbers of elements, on the GPU: who owns a number adds up all that comes to it, in its
 * order. Lists have neighbours side by side for neighbouring threads; so have element-major
 * matrices where the rows of an element come to a row of A, and interleaved ones where neighbouring
 * rows get the same entry of neighbouring elements. */
#include "core/access.h"
#include "fem/functions.h"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Numbers of a sum that are on their way together: an inner entry of a mesh of hexahedra has 1, 2,
 * 4 or 8. */
constexpr int sum_ahead = 4;

/* The address of the number that a place of the list says, and of its neighbours (r, c). */
template <class V, bool one_block>
GPU_FUNCTION const V *number_at(const tulle__sums_job &job, int64_t from, int r, int c) {
    const tulle__fem_source &s = one_block ? job.source[0] : *tulle__source_of(&job, from);
    return static_cast<const V *>(s.values) + (from - s.first + r * s.r_step + c * s.c_step);
}

/* Adds the numbers (r, c) of an item to sum, in their order. */
template <class V, class From, bool one_block>
GPU_FUNCTION V add_numbers(const tulle__sums_job &job, int64_t item, int r, int c, V sum) {
    const From *ends = static_cast<const From *>(job.ends);
    const From *list = static_cast<const From *>(job.from);
    constexpr From none = static_cast<From>(TULLE__NO_NUMBER);
    const From end = load(ends + item + 1);
    From left = end - load(ends + item);
    for (const From *next = list + (end - left); left > 0; next += sum_ahead) {
        From from[sum_ahead];
        V number[sum_ahead] = {};
        GPU_UNROLL
        for (int a = 0; a < sum_ahead; a++) {
            from[a] = static_cast<From>(a) < left ? load(next + a) : none;
        }
        GPU_UNROLL
        for (int a = 0; a < sum_ahead; a++) {
            if (from[a] == none) continue;
            number[a] = load(number_at<V, one_block>(job, static_cast<int64_t>(from[a]), r, c));
        }
        GPU_UNROLL
        for (int a = 0; a < sum_ahead; a++) {
            if (from[a] != none) sum += number[a];
        }
        left -= left < sum_ahead ? left : static_cast<From>(sum_ahead);
    }
    return sum;
}

template <class V, class From, bool one_block>
GPU_FUNCTION void put_sum(const tulle__sums_job &job, V beta, int64_t item, int r, int c,
                          int64_t slot) {
    V *to = static_cast<V *>(job.values) + slot * job.step;
    const V sum =
        add_numbers<V, From, one_block>(job, item, r, c, beta == V{0} ? V{0} : beta * *to);
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

GPU_KERNEL void make_identity(tulle__identity_job job) {
    for (int64_t k = loop_first(); k < job.count; k += loop_stride()) tulle__make_identity(&job, k);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(sum_elements)(const tulle__place *place, const tulle__sums_job *job) {
    return job->type == TULLE_F32 ? gpu::sum_of_type<float>(place, job)
                                  : gpu::sum_of_type<double>(place, job);
}

tulle_status GPU_SYMBOL(make_identity)(const tulle__place *place, const tulle__identity_job *job) {
    return gpu::launch(place, gpu::make_identity, gpu::loop_grid(job->count), *job);
}
