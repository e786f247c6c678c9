/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that stand apart, each where it had room, to where C has them. */
#ifndef TULLE_SPGEMM_PUBLISHED_ROW_MOVES_CUH
#define TULLE_SPGEMM_PUBLISHED_ROW_MOVES_CUH

#include "spgemm/gpu/factors.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Row i goes from from(i) on to [offsets[i], offsets[i + 1]), a warp a row. */
template <class V, class C, class From>
GPU_KERNEL void move_rows(int64_t rows, From from, const C *cols, const V *values,
                          const int64_t *offsets, C *to_cols, V *to_values) {
    for (int64_t i = loop_first() / warp_lanes; i < rows; i += loop_stride() / warp_lanes) {
        int64_t begin = load(offsets + i), end = load(offsets + i + 1), back = from(i) - begin;
        for (int64_t k = begin + lane(); k < end; k += warp_lanes) {
            to_cols[k] = load_once(cols + k + back);
            to_values[k] = load_once(values + k + back);
        }
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
