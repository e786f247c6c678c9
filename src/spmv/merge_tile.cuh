/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles of a merge path. Rows and entries are one list of rows + nnz items, the item "row i
 * ends" right after the last entry of row i, and a tile is a stretch of it. The cut before item d
 * lies at the first row with end[i] > d - i - 1 and at the entry d - i. Offsets may begin at any
 * number: items count from there. */
#ifndef TULLE_SPMV_MERGE_TILE_CUH
#define TULLE_SPMV_MERGE_TILE_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Counts items: rows and entries below 2^31 make fewer than 2^32. */
template <class O>
struct item_number {
    using type = int64_t;
};
template <>
struct item_number<int32_t> {
    using type = uint32_t;
};

/* How many low bits of 0...01...1 are set. */
GPU_FUNCTION unsigned low_ones(unsigned bits) {
    unsigned count = 0;
    GPU_UNROLL
    for (unsigned half = 16; half > 0; half /= 2) {
        if (bits >> (half - 1) & 1) {
            count += half;
            bits >>= half;
        }
    }
    return count + (bits & 1);
}

/* The row of the cut before item d, by a whole warp: every step asks 32 rows at once, so that four
 * steps do where a million rows are in question. */
template <class O, class N = typename item_number<O>::type>
GPU_FUNCTION N cut_row(N d, const O *offsets, N rows, N nnz) {
    N origin = static_cast<N>(load(offsets));
    N low = d > nnz ? d - nnz : 0;
    N high = d < rows ? d : rows;
    while (low < high) {
        N step = (high - low + 31) / 32;
        N row = low + static_cast<N>(lane() + 1) * step - 1;
        bool before = row < high && static_cast<N>(load(offsets + row + 1)) - origin < d - row;
        low += static_cast<N>(low_ones(ballot(full_warp, before))) * step;
        if (low + step - 1 < high) high = low + step - 1;
    }
    return low;
}

/* The rows that end in a tile, from `row` on, and its entries, from `entry` on: the first ones may
 * belong to a row that began before, the last ones to a row that ends later. */
template <class O>
struct merge_tile {
    int64_t row;
    O entry;
    int rows, entries;

    /* An offset as an entry of the tile: -1 before it, `entries` behind it. */
    GPU_FUNCTION int local(O offset) const {
        O distance = offset - entry;
        if (distance > entries) distance = entries;
        return distance < 0 ? -1 : static_cast<int>(distance);
    }
    /* Entry e of the tile, or its last one. */
    GPU_FUNCTION auto entry_or_last(int e) const {
        using N = typename item_number<O>::type;
        N first = static_cast<N>(entry);
        N wanted = first + static_cast<N>(e), last = first + static_cast<N>(entries - 1);
        return wanted < last ? wanted : last;
    }
};

/* The block's own tile of `size` items, from ready cuts (if not NULL) or found by two warps. All
 * threads of the block call this and may write to shared memory before, for others to read after.
 */
template <class O>
GPU_FUNCTION merge_tile<O> find_tile(const int64_t *cuts, int64_t size, const O *offsets,
                                     int64_t rows, int64_t nnz) {
    using N = typename item_number<O>::type;
    GPU_SHARED(int64_t, found, 2);
    int64_t t = block();
    int64_t begin = t * size, end = begin + size < rows + nnz ? begin + size : rows + nnz;
    int64_t row = 0, end_row = 0, origin = static_cast<int64_t>(load(offsets));
    if (cuts) {
        row = load(cuts + t);
        end_row = load(cuts + t + 1);
        sync();
    } else {
        if (thread() < 64) {
            unsigned which = thread() / 32;
            N cut = cut_row(static_cast<N>(which ? end : begin), offsets, static_cast<N>(rows),
                            static_cast<N>(nnz));
            if (lane() == 0) found[which] = static_cast<int64_t>(cut);
        }
        sync();
        row = found[0];
        end_row = found[1];
    }
    return {row, static_cast<O>(begin - row + origin), static_cast<int>(end_row - row),
            static_cast<int>((end - end_row) - (begin - row))};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
