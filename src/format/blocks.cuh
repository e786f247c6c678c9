/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the blocks that have entries of a CSR matrix whose columns ascend in every row. One
 * entry of a block is its first: the leftmost one in the topmost row of the block that has entries
 * there. Each entry is tested by itself, so that rows may be of any length. */
#ifndef TULLE_FORMAT_BLOCKS_CUH
#define TULLE_FORMAT_BLOCKS_CUH

#include "format/entries.cuh"
#include "format/slots.h"

namespace TULLE_GPU_NAMESPACE {

template <class Offset, class Index>
struct block_entries {
    csr_entries<Offset, Index> csr;
    Index tall, wide; /* numbers of rows and of columns of a block */

    GPU_FUNCTION Index block_of(int64_t e) const { return load(csr.cols + e) / wide; }

    /* Returns the first entry of a row that is in the block or behind it. */
    GPU_FUNCTION int64_t from_block(int64_t row, Index block) const {
        int64_t e = csr.begin(row);
        TULLE__LOWER_BOUND(e, csr.begin(row + 1), i, block_of(i) < block);
        return e;
    }
    GPU_FUNCTION bool has(int64_t row, Index block) const {
        int64_t e = from_block(row, block);
        return e < csr.begin(row + 1) && block_of(e) == block;
    }
    GPU_FUNCTION bool is_first(int64_t row, int64_t e) const {
        Index block = block_of(e);
        bool first = e == csr.begin(row) || block_of(e - 1) != block;
        for (int64_t r = row; first && r % tall != 0; r--) first = !has(r - 1, block);
        return first;
    }
};

template <class Offset, class Index>
block_entries<Offset, Index> make_block_entries(const tulle__pattern_view &csr,
                                                const tulle_storage &laid) {
    return {csr_entries<Offset, Index>(csr), static_cast<Index>(tulle__block_rows(&laid)),
            static_cast<Index>(tulle__block_cols(&laid))};
}

/* Adds the number of blocks of each block row to counts[block row]. The entries of a thread are
 * mostly of few block rows. */
template <class Offset, class Index, class Count>
GPU_KERNEL void count_row_blocks(block_entries<Offset, Index> entries, Count *counts) {
    int64_t block_row = 0;
    Count found = 0;
    entries.csr.each([&](int64_t row, int64_t e) {
        if (row / entries.tall != block_row) {
            if (found > 0) atomic_add(counts + block_row, found);
            block_row = row / entries.tall;
            found = 0;
        }
        found += entries.is_first(row, e);
    });
    if (found > 0) atomic_add(counts + block_row, found);
}

/* Sets firsts[e] to 1 if entry e is the first of a block, else to 0; the element behind the last
 * entry is 0. */
template <class Offset, class Index>
GPU_KERNEL void mark_firsts(block_entries<Offset, Index> entries, Offset *firsts) {
    entries.csr.each([&](int64_t row, int64_t e) { firsts[e] = entries.is_first(row, e); });
    if (loop_first() == 0) firsts[entries.csr.begin(entries.csr.rows)] = 0;
}

/* Lists the columns of the blocks; before[e] is the number of first entries before entry e. In its
 * block row a block comes behind the blocks with a first entry in an earlier column of any of the
 * rows. */
template <class Offset, class Index>
GPU_KERNEL void put_blocks(block_entries<Offset, Index> entries, const Offset *before,
                           const Offset *offsets, Index *cols) {
    entries.csr.each([&](int64_t row, int64_t e) {
        if (load(before + e) == load(before + e + 1)) return;
        Index block = entries.block_of(e);
        int64_t block_row = row / entries.tall, at = offsets[block_row];
        int64_t end = (block_row + 1) * entries.tall;
        if (end > entries.csr.rows) end = entries.csr.rows;
        for (int64_t r = block_row * entries.tall; r < end; r++) {
            int64_t from = entries.from_block(r, block);
            at += load(before + from) - load(before + entries.csr.begin(r));
        }
        cols[at] = block;
    });
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
