/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a task's operands in memory. */
#ifndef TULLE_BATCH_GPU_NUMBERS_CUH
#define TULLE_BATCH_GPU_NUMBERS_CUH

#include <math.h>

#include "batch/task.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_FUNCTION V *number_of(const tulle__strided &s, int64_t row, int64_t col) {
    return static_cast<V *>(s.data) + row * s.row + col * s.col;
}

/* Y := alpha sum + beta Y. */
template <class V>
GPU_FUNCTION void store_sum(const tulle__task &t, int64_t row, int64_t col, V sum) {
    V *to = number_of<V>(t.y, row, col);
    const V all = static_cast<V>(t.alpha) * sum;
    *to = t.beta == 0 ? all : fma(static_cast<V>(t.beta), *to, all);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
