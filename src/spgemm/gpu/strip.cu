/* SPDX-License-Identifier: Apache-2.0 */
/* One row of A and some columns of B as operands of their own. */
#include "gpu/scan.cuh"
#include "spgemm/functions.h"
#include "spgemm/gpu/factors.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* Returns the first entry of B's row k in column `low` or behind it. */
template <class O, class C>
GPU_FUNCTION O first_from(const O *offsets, const C *cols, C k, int64_t low) {
    O first = load(offsets + k), last = load(offsets + k + 1);
    TULLE__LOWER_BOUND(first, last, q, load(cols + q) < low);
    return first;
}

/* Counts a strip, by a single block, since it has a single row. */
template <class O, class C>
GPU_KERNEL void count_entries(int64_t count, const C *a_cols, const O *b_offsets, const C *b_cols,
                              int64_t low, int64_t high, O *offsets, C *numbers) {
    GPU_SHARED(int64_t, room, loop_threads / warp_lanes);
    int64_t before = 0;
    if (thread() == 0) offsets[0] = 0;
    for (int64_t first = 0; first < count; first += loop_threads) {
        const int64_t e = first + thread();
        int64_t length = 0, all = 0;
        if (e < count) {
            C k = load(a_cols + e);
            length = first_from(b_offsets, b_cols, k, high) - first_from(b_offsets, b_cols, k, low);
        }
        int64_t sum = before + block_scan(length, room, &all);
        if (e < count) {
            offsets[e + 1] = static_cast<O>(sum + length);
            numbers[e] = static_cast<C>(e);
        }
        before += all;
    }
}

/* Fills a strip, a warp for each entry of A's row. */
template <class V, class O, class C>
GPU_KERNEL void fill_entries(int64_t count, const C *a_cols, const O *b_offsets, const C *b_cols,
                             const V *b_values, int64_t low, const O *offsets, C *cols, V *values) {
    for (int64_t e = loop_first() / warp_lanes; e < count; e += loop_stride() / warp_lanes) {
        O from = first_from(b_offsets, b_cols, load(a_cols + e), low), to = load(offsets + e);
        O length = load(offsets + e + 1) - to;
        for (O k = static_cast<O>(lane()); k < length; k += warp_lanes) {
            cols[to + k] = static_cast<C>(load(b_cols + from + k) - low);
            values[to + k] = load(b_values + from + k);
        }
    }
}

GPU_KERNEL void raise(int64_t count, int64_t by, int64_t size, void *numbers) {
    for (int64_t i = loop_first(); i < count; i += loop_stride()) {
        tulle__put(numbers, size, i, tulle__get(numbers, size, i) + by);
    }
}

template <class V, class O, class C>
tulle_status count_strip(const tulle__spgemm_task *task, const tulle__spgemm_strip *strip,
                         int64_t *host_nnz) {
    const factors<V, O, C> f = make_factors<V, O, C>(task);
    const int64_t count = strip->end - strip->begin;
    O *offsets = static_cast<O *>(strip->offsets), nnz = 0;
    GPU_TRY(launch(task->place, count_entries<O, C>, grid{1, loop_threads}, count,
                   f.a_cols + strip->begin, f.b_offsets, f.b_cols, strip->low, strip->high, offsets,
                   static_cast<C *>(strip->numbers)));
    GPU_TRY(to_host(task->place, &nnz, offsets + count, sizeof nnz));
    *host_nnz = nnz;
    return TULLE_OK;
}

template <class V, class O, class C>
tulle_status fill_strip(const tulle__spgemm_task *task, const tulle__spgemm_strip *strip) {
    const factors<V, O, C> f = make_factors<V, O, C>(task);
    const int64_t count = strip->end - strip->begin;
    return launch(task->place, fill_entries<V, O, C>, loop_grid(count * warp_lanes), count,
                  f.a_cols + strip->begin, f.b_offsets, f.b_cols, f.b_values, strip->low,
                  static_cast<const O *>(strip->offsets), static_cast<C *>(strip->cols_of),
                  static_cast<V *>(strip->values));
}

using count_fn = tulle_status (*)(const tulle__spgemm_task *, const tulle__spgemm_strip *,
                                  int64_t *);
using fill_fn = tulle_status (*)(const tulle__spgemm_task *, const tulle__spgemm_strip *);
const count_fn count_of[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT] = GPU_RUN_ALL(count_strip);
const fill_fn fill_of[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT] = GPU_RUN_ALL(fill_strip);

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(count_strip)(const tulle__spgemm_task *task,
                                     const tulle__spgemm_strip *strip, int64_t *host_nnz) {
    return gpu::count_of[tulle__values_of(task->type)][task->index](task, strip, host_nnz);
}

tulle_status GPU_SYMBOL(fill_strip)(const tulle__spgemm_task *task,
                                    const tulle__spgemm_strip *strip) {
    return gpu::fill_of[tulle__values_of(task->type)][task->index](task, strip);
}

tulle_status GPU_SYMBOL(raise_numbers)(const tulle__place *place, int64_t count, int64_t by,
                                       int64_t size, void *numbers) {
    return gpu::launch(place, gpu::raise, gpu::loop_grid(count), count, by, size, numbers);
}
