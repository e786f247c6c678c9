/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: the places in a CSR matrix of every 128th item, so that work can be cut into equal
 * pieces without a search. Rows and entries are one list of rows + nnz items, the item "row i
 * ends" right after the last entry of row i (Merrill and Garland, "Merge-based parallel sparse
 * matrix-vector multiplication", SC 2016). mark[m] is the row in which item 128 m lies: the
 * first one with end[i] >= 128 m - i, ends counted from the first entry. Compiles as C17 and
 * CUDA C++. */
#ifndef TULLE_MATRIX_MARKS_H
#define TULLE_MATRIX_MARKS_H

#include "core/access.h"
#include "core/search.h"
#include "tulle/types.h"

enum { TULLE__MARK_STEP = 128 };

/* Number of marks: one for each step that begins among the items. */
TULLE_INLINE int64_t tulle__mark_count(int64_t rows, int64_t nnz) {
    return (rows + nnz) / TULLE__MARK_STEP + 1;
}

TULLE_INLINE int64_t tulle__mark_at(const void *offsets, int64_t size, int64_t rows, int64_t nnz,
                                    int64_t m) {
    int64_t item = m * TULLE__MARK_STEP, origin = tulle__get(offsets, size, 0);
    int64_t low = item > nnz ? item - nnz : 0;
    int64_t high = item < rows ? item : rows;
    TULLE__LOWER_BOUND(low, high, row, tulle__get(offsets, size, row + 1) - origin < item - row);
    return low;
}

#endif
