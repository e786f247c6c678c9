/* SPDX-License-Identifier: Apache-2.0 */
/* Which square blocks hold the entries of a CSR matrix whose columns rise in every row. Of the
 * entries of a block, one is its first: in the topmost of its rows that has any there, the
 * leftmost. Whether an entry is that is found by itself, so that rows may be of any length. */
#ifndef TULLE_FORMAT_BLOCKS_CUH
#define TULLE_FORMAT_BLOCKS_CUH

#include "format/entries.cuh"
#include "format/slots.h"

namespace TULLE_GPU_NAMESPACE {

template <class Offset, class Index>
struct block_entries {
    csr_entries<Offset, Index> csr;
    Index size;

    GPU_FUNCTION Index block_of(int64_t e) const { return load(csr.cols + e) / size; }

    /* The first entry of a row that is in the block or behind it. */
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
        for (int64_t r = row; first && r % size != 0; r--) first = !has(r - 1, block);
        return first;
    }
};

/* counts[block row] += its blocks. A thread's entries are mostly of few block rows. */
template <class Offset, class Index, class Count>
GPU_KERNEL void count_row_blocks(block_entries<Offset, Index> entries, Count *counts) {
    int64_t block_row = 0;
    Count found = 0;
    entries.csr.each([&](int64_t row, int64_t e) {
        if (row / entries.size != block_row) {
            if (found > 0) atomic_add(counts + block_row, found);
            block_row = row / entries.size;
            found = 0;
        }
        found += entries.is_first(row, e);
    });
    if (found > 0) atomic_add(counts + block_row, found);
}

/* firsts[e] := 1 for the first entry of a block, else 0; 0 at the end. */
template <class Offset, class Index>
GPU_KERNEL void mark_firsts(block_entries<Offset, Index> entries, Offset *firsts) {
    entries.csr.each([&](int64_t row, int64_t e) { firsts[e] = entries.is_first(row, e); });
    if (loop_first() == 0) firsts[entries.csr.begin(entries.csr.rows)] = 0;
}

/* before[e]: how many firsts stand before entry e. A block comes behind those blocks of its block
 * row whose firsts are in an earlier column, in any of the rows. */
template <class Offset, class Index>
GPU_KERNEL void put_blocks(block_entries<Offset, Index> entries, const Offset *before,
                           const Offset *offsets, Index *cols) {
    entries.csr.each([&](int64_t row, int64_t e) {
        if (load(before + e) == load(before + e + 1)) return;
        Index block = entries.block_of(e);
        int64_t block_row = row / entries.size, at = offsets[block_row];
        int64_t end = (block_row + 1) * entries.size;
        if (end > entries.csr.rows) end = entries.csr.rows;
        for (int64_t r = block_row * entries.size; r < end; r++) {
            int64_t from = entries.from_block(r, block);
            at += load(before + from) - load(before + entries.csr.begin(r));
        }
        cols[at] = block;
    });
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
