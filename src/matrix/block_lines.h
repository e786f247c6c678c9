/* SPDX-License-Identifier: Apache-2.0 */
/* The block rows or block columns of a BSR pattern, one after the other, as products with
 * multivectors walk them. No block moves: a block column is a list of the blocks in it, and lines
 * of equal length come together through an index array alone (Afanasyev, Potapov, Sobolev and
 * Kharchenko, YSC 2015, section 3.3: the pattern as CSC, and groups of rows). Compiles as C17 and
 * CUDA C++. */
#ifndef TULLE_MATRIX_BLOCK_LINES_H
#define TULLE_MATRIX_BLOCK_LINES_H

#include <stdint.h>

typedef struct tulle__block_lines {
    int64_t count;
    void *order; /* indices of the lines, by falling number of blocks, then ascending; of the index
                    type */
    void *offsets; /* beginning of each block column in `others` and `slots`, count + 1; of the
                      offset type. NULL: lines are block rows, and offsets, others and slots are
                      the pattern's */
    void *others;  /* block row of each block of a block column, rising; of the index type */
    void *slots;   /* number of each block of a block column among the pattern's blocks; of the
                      offset type */
} tulle__block_lines;

#endif
