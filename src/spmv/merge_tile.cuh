/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles of a merge path. Rows and entries are one list of rows + nnz items, the item "row i
 * ends" right after the last entry of row i, and a tile is a stretch of it. The cut before item d
 * lies at the first row with end[i] > d - i - 1 and at the entry d - i. Offsets may begin at any
 * number: entries count from there. */
#ifndef TULLE_SPMV_MERGE_TILE_CUH
#define TULLE_SPMV_MERGE_TILE_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* How many low bits of ...000111...1 are set. */
GPU_FUNCTION int low_ones(unsigned bits) {
    int count = 0;
    GPU_UNROLL
    for (int half = 16; half > 0; half /= 2) {
        if (bits >> (half - 1) & 1) {
            count += half;
            bits >>= half;
        }
    }
    return count + static_cast<int>(bits & 1);
}

/* The row of the cut before item d, by a whole warp: every step asks 32 rows at once, so that four
 * steps do where a million rows are in question. */
template <class O>
GPU_FUNCTION int64_t cut_row(int64_t d, const O *offsets, int64_t rows, int64_t nnz) {
    int64_t first = static_cast<int64_t>(load(offsets));
    int64_t low = d > nnz ? d - nnz : 0;
    int64_t high = d < rows ? d : rows;
    while (low < high) {
        int64_t step = (high - low + 31) / 32;
        int64_t row = low + (lane() + 1) * step - 1;
        bool before =
            row < high && static_cast<int64_t>(load(offsets + row + 1)) - first <= d - row - 1;
        low += low_ones(ballot(full_warp, before)) * step;
        if (low + step - 1 < high) high = low + step - 1;
    }
    return low;
}

/* Rows that end in the tile, and its entries: the first ones may belong to a row that began before,
 * the last ones to a row that ends later. */
template <class O>
struct merge_tile {
    int64_t row;
    O entry;
    int rows, entries;

    /* An offset as an entry of the tile; 0 for a row that began before it. */
    GPU_FUNCTION int local(O offset) const {
        return offset > entry ? static_cast<int>(offset - entry) : 0;
    }
};

/* The block's own tile of `size` items, from ready cuts (if not NULL) or found by two warps. */
template <class O>
GPU_FUNCTION merge_tile<O> find_tile(const int64_t *cuts, int64_t size, const O *offsets,
                                     int64_t rows, int64_t nnz) {
    GPU_SHARED(int64_t, found, 2);
    int64_t t = block();
    int64_t begin = t * size, end = begin + size < rows + nnz ? begin + size : rows + nnz;
    int64_t row = 0, end_row = 0;
    if (cuts) {
        row = load(cuts + t);
        end_row = load(cuts + t + 1);
        sync();
    } else {
        if (thread() < 64) {
            unsigned which = thread() / 32;
            int64_t cut = cut_row(which ? end : begin, offsets, rows, nnz);
            if (lane() == 0) found[which] = cut;
        }
        sync();
        row = found[0];
        end_row = found[1];
    }
    O entry = static_cast<O>(begin - row + static_cast<int64_t>(load(offsets)));
    return {row, entry, static_cast<int>(end_row - row),
            static_cast<int>((end - end_row) - (begin - row))};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
