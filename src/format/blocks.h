/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the blocks that have entries of a CSR matrix whose columns ascend in every row, on
 * the CPU. The positions in the rows of a block row move on together, from block to block. */
#ifndef TULLE_FORMAT_BLOCKS_H
#define TULLE_FORMAT_BLOCKS_H

#include "format/slots.h"

/* Returns the block column of the first block from the current positions on, or INT64_MAX behind
 * the last block. */
static inline int64_t tulle__first_block(const tulle__pattern_view *csr, int64_t wide, int64_t rows,
                                         const int64_t *at, const int64_t *end) {
    int64_t first = INT64_MAX;
    for (int64_t r = 0; r < rows; r++) {
        if (at[r] == end[r]) continue;
        int64_t block = tulle__col_at(csr, at[r]) / wide;
        if (block < first) first = block;
    }
    return first;
}

/* Returns the number of blocks, of `tall` rows and `wide` columns, of a block row; stores their
 * columns in cols, from index `to` on, unless cols is NULL. */
static inline int64_t tulle__blocks_of_row(const tulle__pattern_view *csr, int64_t tall,
                                           int64_t wide, int64_t block_row, void *cols,
                                           int64_t to) {
    int64_t at[TULLE__MOST_BLOCK], end[TULLE__MOST_BLOCK], count = 0, first = block_row * tall;
    int64_t rows = csr->rows - first < tall ? csr->rows - first : tall;
    for (int64_t r = 0; r < rows; r++) {
        at[r] = tulle__offset_at(csr, first + r);
        end[r] = tulle__offset_at(csr, first + r + 1);
    }
    int64_t block = tulle__first_block(csr, wide, rows, at, end);
    for (; block < INT64_MAX; block = tulle__first_block(csr, wide, rows, at, end)) {
        int64_t behind = (block + 1) * wide;
        for (int64_t r = 0; r < rows; r++) {
            while (at[r] < end[r] && tulle__col_at(csr, at[r]) < behind) at[r]++;
        }
        if (cols) tulle__put(cols, tulle_index_size(csr->index), to + count, block);
        count++;
    }
    return count;
}

#endif
