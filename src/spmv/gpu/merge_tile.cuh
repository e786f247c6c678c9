/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles of a merge path: equal stretches of the list of rows + nnz items that matrix/marks.h
 * defines, whose first rows the marks tell. Offsets may begin at any number: items count from
 * there. */
#ifndef TULLE_SPMV_GPU_MERGE_TILE_CUH
#define TULLE_SPMV_GPU_MERGE_TILE_CUH

#include "gpu/gpu.cuh"
#include "matrix/marks.h"

namespace TULLE_GPU_NAMESPACE {

/* Type of the index of an item of the merge path. Where rows and entries are below 2^31, there are
 * fewer than 2^32 items. */
template <class O>
struct item_number {
    using type = int64_t;
};
template <>
struct item_number<int32_t> {
    using type = uint32_t;
};

/* A tile: the rows that end in it, from `row` on, and its entries, from `entry` on: the first
 * ones may belong to a row that began before, the last ones to a row that ends later. */
template <class O>
struct merge_tile {
    int64_t row;
    O entry;
    int rows, entries;

    /* Returns an offset as an entry of the tile: -1 before it, `entries` behind it. */
    GPU_FUNCTION int local(O offset) const {
        O distance = offset - entry;
        if (distance > entries) distance = entries;
        return distance < 0 ? -1 : static_cast<int>(distance);
    }
    /* Returns entry e of the tile, or its last one. */
    GPU_FUNCTION auto entry_or_last(int e) const {
        using N = typename item_number<O>::type;
        N first = static_cast<N>(entry);
        N wanted = first + static_cast<N>(e), last = first + static_cast<N>(entries - 1);
        return wanted < last ? wanted : last;
    }
};

/* Returns the block's own tile of `size` items, a multiple of the marks' step. */
template <class O>
GPU_FUNCTION merge_tile<O> find_tile(const O *marks, int size, const O *offsets, int64_t rows,
                                     int64_t nnz) {
    int64_t t = block(), step = size / TULLE__MARK_STEP;
    int64_t begin = t * size, end = begin + size;
    int64_t row = load(marks + t * step), end_row = rows;
    if (end < rows + nnz) {
        end_row = load(marks + (t + 1) * step);
    } else {
        end = rows + nnz;
    }
    return {row, static_cast<O>(begin - row + load(offsets)), static_cast<int>(end_row - row),
            static_cast<int>((end - end_row) - (begin - row))};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
