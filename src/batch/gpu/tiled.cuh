/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces by a block of loop_threads, of multivectors that lie well and have up to 16 columns, and
 * of products with blocks without padding: what whole GPUs do with large ones (vector/, spmv/). */
#ifndef TULLE_BATCH_GPU_TILED_CUH
#define TULLE_BATCH_GPU_TILED_CUH

#include "batch/gpu/lines.cuh"
#include "batch/gpu/pieces.cuh"
#include "vector/multivector_axpy.cuh"
#include "vector/multivector_dot.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int most_tiled = 2 * tile_side;

/* Returns the rows of an operand from row `begin` on. */
template <class V>
GPU_FUNCTION strided<V> rows_from(const tulle__strided &s, int64_t begin) {
    return {static_cast<V *>(s.data) + begin * s.row, s.row, s.col};
}

template <class V, int tiles, lie how, next_slabs when, class Put>
GPU_FUNCTION void dot_in_tiles(const tulle__task &t, int64_t begin, int64_t end,
                               shared<double> room, Put put) {
    static_assert(dot_room<tiles> <= task_room, "a piece's room");
    const int64_t rows = end - begin, turns = dot_turns<V, tiles>(t.k1, t.k2).of(rows);
    dot_of_turns<V, tiles, how, when>(rows, 0, turns, rows_from<const V>(t.x, begin),
                                      rows_from<const V>(t.a, begin), t.k1, t.k2, room,
                                      [&](int p, int c, double sum) { put(p * t.k2 + c, sum); });
}

template <class V>
GPU_FUNCTION axpy_operands<V> axpy_of(const tulle__task &t, int64_t begin, int64_t end) {
    return {end - begin,
            t.k1,
            t.k2,
            {static_cast<V>(t.alpha), nullptr},
            {static_cast<V>(t.beta), nullptr},
            rows_from<const V>(t.x, begin),
            rows_from<const V>(t.a, 0),
            rows_from<V>(t.y, begin)};
}

template <class V, lie how>
GPU_FUNCTION void axpy_in_tiles(const tulle__task &t, int64_t begin, int64_t end, int widest) {
    const axpy_operands<V> m = axpy_of<V>(t, begin, end);
    const int warp = static_cast<int>(thread()) / warp_lanes, warps = loop_threads / warp_lanes;
    if (widest <= 4) {
        few_axpy_rows<V, 4, how>(m, thread(), loop_threads);
    } else if (widest <= tile_side) {
        multi_axpy_rows<V, 1, how>(m, warp, warps);
    } else {
        multi_axpy_rows<V, 2, how>(m, warp, warps);
    }
}

template <class V, lie how, class Put>
GPU_FUNCTION void run_in_tiles(const tulle__task &t, int64_t begin, int64_t end,
                               shared<double> room, Put put) {
    const int widest = t.k1 > t.k2 ? t.k1 : t.k2;
    if (t.kind == TULLE__TASK_AXPY) {
        axpy_in_tiles<V, how>(t, begin, end, widest);
    } else if (widest <= tile_side) {
        dot_in_tiles<V, 1, how, next_slabs::late>(t, begin, end, room, put);
    } else {
        dot_in_tiles<V, 2, how, next_slabs::late>(t, begin, end, room, put);
    }
}

/* Runs a piece as run_piece does, for tiled layouts. */
template <class V, class Put>
GPU_FUNCTION void run_tiled(const tulle__task &t, int64_t begin, int64_t end, shared<double> room,
                            Put put) {
    if (t.kind == TULLE__TASK_SPMM && t.A.tiled) return tiled_lines_piece<V>(t, begin, end);
    const bool fits = t.k1 <= most_tiled && t.k2 <= most_tiled;
    if (!fits || t.lie == TULLE__LIE_ANY) return run_piece<V>(t, begin, end, room, put);
    if (t.lie == TULLE__LIE_ROWS) return run_in_tiles<V, lie::rows>(t, begin, end, room, put);
    return run_in_tiles<V, lie::columns>(t, begin, end, room, put);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
