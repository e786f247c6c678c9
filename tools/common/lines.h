/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the cache lines that blocks of rows touch: a GPU fetches whole lines. */
#ifndef TOOL_LINES_H
#define TOOL_LINES_H

#include "tools/common/csr.h"

enum { PAPER_LINE_BYTES = 128 };

/* Numbers of cache lines, summed over all blocks of rows. */
typedef struct paper_lines {
    int64_t offsets, columns, values; /* lines of the matrix's arrays */
    int64_t x, y;
    int64_t blocks;
} paper_lines;

/* Counts the lines of blocks of so many rows; every array begins with a line of its own, and the
 * distinct lines of x are counted in a hash table for each block. */
paper_lines paper_lines_count(const tool_csr *A, int64_t rows_per_block, int threads);

#endif
