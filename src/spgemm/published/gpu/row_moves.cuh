/* SPDX-License-Identifier: Apache-2.0 */
/* Moves rows that stand apart, each where it had room, to their places in C. */
#ifndef TULLE_SPGEMM_PUBLISHED_ROW_MOVES_CUH
#define TULLE_SPGEMM_PUBLISHED_ROW_MOVES_CUH

#include "spgemm/gpu/factors.cuh"
#include "spgemm/gpu/row_groups.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Moves row i of the list, which stands from from(i) on, to [offsets[i], offsets[i + 1]), one warp
 * per row. */
template <class V, class C, class From>
GPU_KERNEL void move_rows(row_list<C> rows, From from, const C *cols, const V *values,
                          const int64_t *offsets, C *to_cols, V *to_values) {
    for (int64_t k = loop_first() / warp_lanes; k < rows.count; k += loop_stride() / warp_lanes) {
        const int64_t i = rows.at(k);
        int64_t begin = load(offsets + i), end = load(offsets + i + 1), back = from(i) - begin;
        for (int64_t e = begin + lane(); e < end; e += warp_lanes) {
            to_cols[e] = load_once(cols + e + back);
            to_values[e] = load_once(values + e + back);
        }
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
