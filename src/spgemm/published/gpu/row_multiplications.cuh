/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the multiplications a_ik b_kj of each row of C, one warp per row. */
#ifndef TULLE_SPGEMM_PUBLISHED_ROW_MULTIPLICATIONS_CUH
#define TULLE_SPGEMM_PUBLISHED_ROW_MULTIPLICATIONS_CUH

#include "gpu/reduce.cuh"
#include "spgemm/gpu/factors.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Totals over all rows: multiplications, entries at most, and the most multiplications of one row.
 */
struct multiplication_totals {
    int64_t multiplications, entries, longest;
};

/* Bytes that a scan of so many numbers takes at most. */
inline int64_t scan_bytes(int64_t numbers) {
    return (int64_t{1} << 16) + numbers / 16;
}

/* Sets numbers[i] to the number of multiplications of row i, or, where cut, to the number of
 * columns of C if that is less; adds to *totals. One warp counts a row. */
template <class V, class O, class C>
GPU_KERNEL void count_row_multiplications(factors<V, O, C> f, int64_t cols, bool cut,
                                          int64_t *numbers, multiplication_totals *totals) {
    int64_t multiplications = 0, entries = 0, longest = 0;
    for (int64_t i = loop_first() / warp_lanes; i < f.rows; i += loop_stride() / warp_lanes) {
        O end = load(f.a_offsets + i + 1);
        int64_t sum = 0;
        for (O e = load(f.a_offsets + i) + static_cast<O>(lane()); e < end; e += warp_lanes) {
            C k = load(f.a_cols + e);
            sum += load(f.b_offsets + k + 1) - load(f.b_offsets + k);
        }
        sum = warp_reduce<total>(sum);
        if (lane() != 0) continue;
        numbers[i] = cut ? least::of(sum, cols) : sum;
        multiplications += sum;
        entries += least::of(sum, cols);
        longest = most::of(longest, sum);
    }
    if (lane() != 0 || multiplications == 0) return;
    atomic_add(&totals->multiplications, multiplications);
    atomic_add(&totals->entries, entries);
    atomic_max(&totals->longest, longest);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
