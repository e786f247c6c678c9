/* SPDX-License-Identifier: Apache-2.0 */
/* Products of tasks whose blocks have no padding, by warps on the matrix units: what a whole GPU
 * does with large ones (spmv/gpu/bsr_tile.cuh). */
#ifndef TULLE_BATCH_GPU_LINES_CUH
#define TULLE_BATCH_GPU_LINES_CUH

#include "batch/task.h"
#include "gpu/loop.cuh"
#include "gpu/outline.cuh"
#include "spmv/gpu/bsr_tile.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Lines of blocks before line `end`. */
template <class V>
GPU_FUNCTION product_of_blocks<V> product_of(const tulle__task &t, int64_t end) {
    return {end,
            t.A.lines.rows,
            t.A.block,
            static_cast<const int32_t *>(t.A.lines.offsets),
            static_cast<const int32_t *>(t.A.lines.cols_of),
            static_cast<const int32_t *>(t.A.slots),
            nullptr,
            static_cast<const V *>(t.A.values),
            nullptr,
            t.k2,
            {static_cast<const V *>(t.x.data), t.x.row, t.x.col},
            {static_cast<V *>(t.y.data), t.y.row, t.y.col},
            {static_cast<V>(t.alpha), nullptr},
            {static_cast<V>(t.beta), nullptr},
            t.A.wide};
}

/* All columns of Y, some tiles of them at a time. awaited: other tasks of the grid may have written
 * X, or A's values. */
template <class M, bool awaited, class V>
GPU_FUNCTION void multiply_lines(const tulle__task &t, int64_t end, const line_groups &groups) {
    const product_of_blocks<V> a = product_of<V>(t, end);
    GPU_KEEP_LOOP
    for (int column = 0; column < t.k2; column += M::wide * M::side) {
        multiply_groups<M, awaited>(a, groups, column);
    }
}

/* A piece by a block of threads, which kernels of many things call; after tasks that it waits for.
 */
template <class M, class V>
GPU_OUTLINE void multiply_piece(const tulle__task &t, int64_t begin, int64_t end) {
    const int warps = static_cast<int>(block_size()) / warp_lanes;
    const int64_t all = (end - begin + M::lines - 1) / M::lines;
    const int64_t steps = (all + warps - 1) / warps;
    multiply_lines<M, true, V>(
        t, end, {begin / M::lines + thread() / warp_lanes, warps, static_cast<int>(steps)});
}

template <class V>
GPU_FUNCTION void tiled_lines_piece(const tulle__task &t, int64_t begin, int64_t end) {
    switch (t.variant) {
#define TULLE__CASES(number, size, tall, wide)                                                     \
    case 2 * (number):                                                                             \
        return multiply_piece<line_mapping<size, tall, wide, false>, V>(t, begin, end);            \
    case 2 * (number) + 1:                                                                         \
        return multiply_piece<line_mapping<size, tall, wide, true>, V>(t, begin, end);
        TULLE__LINES_VARIANTS(TULLE__CASES)
#undef TULLE__CASES
        default:
            break;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
