/* SPDX-License-Identifier: Apache-2.0 */
/* Merge path: rows and entries are one list of rows + nnz items, cut into pieces of equal length,
 * so that a row of any length is dealt out to as many threads as it needs (Merrill and Garland,
 * "Merge-based parallel sparse matrix-vector multiplication", SC 2016). The pieces are a function
 * of the matrix alone: bitwise the same for any number of threads. cut_row.h has the rows. */
#ifndef TULLE_SPMV_CPU_PIECES_H
#define TULLE_SPMV_CPU_PIECES_H

#include "spmv/spmv.h"

/* Largest number of pieces, and least number of items of one: enough pieces to be shared evenly
 * by any number of threads, and none so short that finding its ends would count. */
enum { TULLE__MOST_PIECES = 1024, TULLE__LEAST_ITEMS = 4096 };

static inline int tulle__pieces(const tulle__spmv_shape *shape) {
    int64_t pieces = (shape->rows + shape->nnz) / TULLE__LEAST_ITEMS + 1;
    return pieces < TULLE__MOST_PIECES ? (int)pieces : TULLE__MOST_PIECES;
}

/* Returns the first item of a piece. */
static inline int64_t tulle__piece_begin(const tulle__spmv_shape *shape, int p, int pieces) {
    int64_t items = shape->rows + shape->nnz, rest = items % pieces;
    return items / pieces * p + (p < rest ? p : rest);
}

#endif
