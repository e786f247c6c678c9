/* SPDX-License-Identifier: Apache-2.0 */
/* A and B in the form that kernels take. */
#ifndef TULLE_SPGEMM_GPU_FACTORS_CUH
#define TULLE_SPGEMM_GPU_FACTORS_CUH

#include "core/access.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"
#include "spgemm/spgemm.h"

namespace TULLE_GPU_NAMESPACE {

template <class V, class O, class C>
struct factors {
    int64_t rows;
    const O *a_offsets;
    const C *a_cols;
    const V *a_values;
    const O *b_offsets;
    const C *b_cols;
    const V *b_values;
};

template <class V, class O, class C>
factors<V, O, C> make_factors(const tulle__spgemm_task *task) {
    return {task->a.rows,
            static_cast<const O *>(task->a.offsets),
            static_cast<const C *>(task->a.cols_of),
            static_cast<const V *>(task->a.values),
            static_cast<const O *>(task->b.offsets),
            static_cast<const C *>(task->b.cols_of),
            static_cast<const V *>(task->b.values)};
}

/* Place of C's entries: offsets of rows, columns, values, and the factor of the sums. */
template <class V, class C>
struct target {
    const int64_t *offsets;
    C *cols;
    V *values;
    scalar<V> alpha;
    bool unsorted;
};

/* Stores the offsets of C, of so many bytes each. */
GPU_KERNEL void put_offsets_kernel(int64_t count, const int64_t *offsets, int64_t size, void *to) {
    for (int64_t i = loop_first(); i < count; i += loop_stride()) {
        tulle__put(to, size, i, load(offsets + i));
    }
}

inline tulle_status put_offsets(const tulle__spgemm_task *task, const int64_t *offsets) {
    const int64_t count = task->a.rows + 1;
    return launch(task->place, put_offsets_kernel, loop_grid(count), count, offsets,
                  tulle_offset_size(task->c.index), task->c.offsets);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
