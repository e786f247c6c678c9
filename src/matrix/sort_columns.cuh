/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose by a stable sort of columns, as keys of 32 bits: with each goes a label, the row
 * and the number of its entry. Nothing depends on how entries are spread over columns, and the host
 * waits for nothing. */
#ifndef TULLE_MATRIX_SORT_COLUMNS_CUH
#define TULLE_MATRIX_SORT_COLUMNS_CUH

#include "core/search.h"
#include "matrix/entry.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int label_bits = 32;
constexpr int64_t most_labelled = INT32_MAX; /* number of entries that the sort can count, in 32
                                                bits */

/* Makes keys and labels. keys: NULL where the columns are 32 bits wide themselves. */
template <class O, class C>
GPU_KERNEL void label_entries(int64_t rows, int64_t nnz, const O *offsets, const C *cols_of,
                              uint32_t *keys, uint64_t *labels) {
    const warp_stretch mine(nnz);
    if (mine.begin == mine.end) return;
    int64_t row = find_row(offsets, 0, rows, mine.begin);
    for (int64_t first = mine.begin; first < mine.end; first += warp_lanes) {
        const int64_t e = first + lane();
        row = row_beside(offsets, rows, row, e < nnz ? e : nnz - 1);
        if (e < nnz)
            labels[e] = static_cast<uint64_t>(row) << label_bits | static_cast<uint64_t>(e);
        if (e < nnz && keys) keys[e] = static_cast<uint32_t>(load_once(cols_of + e));
        row = shuffle(full_warp, row, warp_lanes - 1);
    }
}

/* Writes the transpose from sorted keys and labels. */
template <class P, class O, class C>
GPU_KERNEL void write_sorted(int64_t cols, int64_t nnz, const uint32_t *keys,
                             const uint64_t *labels, const P *values, O *offsets, C *rows_of,
                             P *payload) {
    const int64_t count = nnz > cols ? nnz : cols + 1;
    for (int64_t i = loop_first(); i < count; i += loop_stride()) {
        if (i < nnz) {
            const uint64_t label = load_once(labels + i);
            rows_of[i] = static_cast<C>(label >> label_bits);
            payload[i] = payload_of(values, static_cast<int64_t>(label & UINT32_MAX));
        }
        if (i <= cols) {
            auto begin = 0, end = static_cast<int>(nnz);
            TULLE__LOWER_BOUND(begin, end, k, load(keys + k) < i);
            offsets[i] = begin;
        }
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
