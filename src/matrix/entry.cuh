/* SPDX-License-Identifier: Apache-2.0 */
/* An entry of a CSR matrix: its row, and its value, or its index in place of the value. */
#ifndef TULLE_MATRIX_ENTRY_CUH
#define TULLE_MATRIX_ENTRY_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Returns the last row of [low, high) that does not begin behind the entry; by a warp. Row low
 * does not begin behind it. */
template <class O>
GPU_FUNCTION int64_t find_row(const O *offsets, int64_t low, int64_t high, int64_t entry) {
    while (high - low > 1) {
        const int64_t step = (high - low + warp_lanes - 1) / warp_lanes;
        const int64_t row = low + (lane() + int64_t{1}) * step;
        const bool before = row < high && load(offsets + row) <= entry;
        low += count_bits(ballot(full_warp, before)) * step;
        if (high - low > step) high = low + step;
    }
    return low;
}

/* Returns the row of the lane's entry; the lanes of the calling warp have neighbouring entries, and
 * `from` is the row of an entry right before them. The lanes load the ends of 32 rows at once, and
 * each lane counts the rows that end at or before its entry. */
template <class O>
GPU_FUNCTION int64_t row_beside(const O *offsets, int64_t rows, int64_t from, int64_t entry) {
    const int own = static_cast<int>(lane());
    const int64_t near = from + own + 1 < rows ? from + own + 1 : rows;
    const O end = load(offsets + near);
    int ended = 0;
    for (int step = warp_lanes; step > 0; step /= 2) {
        const int last = ended + step - 1;
        const O other = shuffle(full_warp, end, last % warp_lanes);
        if (last < warp_lanes && other <= entry) ended += step;
    }
    return ended < warp_lanes ? from + ended : row_of_entry(offsets, rows, entry, from + ended);
}

/* Returns what the transpose stores for entry e: its value, or its index. */
template <class P>
GPU_FUNCTION P payload_of(const P *values, int64_t e) {
    return values ? load(values + e) : static_cast<P>(e);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
