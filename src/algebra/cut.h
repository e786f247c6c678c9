/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts through the sum of two CSR matrices, so that the pieces between them are equal work and
 * independent of each other. The entries of both matrices and the ends of rows are one list of
 * items: for each row the entries of A and of B by column, of equal columns A's first, and then the
 * end of the row (the merge path of Odeh et al., 2012, which also goes through rows here). A cut is
 * never between two entries in the same place: both belong to the piece before the cut. Compiles as
 * C17 and CUDA C++. */
#ifndef TULLE_ALGEBRA_CUT_H
#define TULLE_ALGEBRA_CUT_H

#include "core/access.h"
#include "core/search.h"
#include "tulle/types.h"

/* A cut: the first row that does not end before the cut, and the numbers of entries of A and of B
 * before the cut. */
typedef struct tulle__cut {
    int64_t row, a, b;
} tulle__cut;

/* The patterns of both matrices. Offsets may begin at any number. */
typedef struct tulle__two_csr {
    int64_t rows, a_nnz, b_nnz;
    int64_t offset_size, index_size;
    const void *a_offsets, *a_cols, *b_offsets, *b_cols;
} tulle__two_csr;

TULLE_INLINE int64_t tulle__two_items(const tulle__two_csr *t) {
    return t->rows + t->a_nnz + t->b_nnz;
}

/* Each of these two functions returns the number of entries of a matrix before row i. */
TULLE_INLINE int64_t tulle__two_a(const tulle__two_csr *t, int64_t i) {
    return tulle__get(t->a_offsets, t->offset_size, i) -
           tulle__get(t->a_offsets, t->offset_size, 0);
}
TULLE_INLINE int64_t tulle__two_b(const tulle__two_csr *t, int64_t i) {
    return tulle__get(t->b_offsets, t->offset_size, i) -
           tulle__get(t->b_offsets, t->offset_size, 0);
}

/* Each of these two functions returns the column of entry e of a matrix, counted from the first
 * entry. */
TULLE_INLINE int64_t tulle__two_a_col(const tulle__two_csr *t, int64_t e) {
    return tulle__get(t->a_cols, t->index_size, tulle__get(t->a_offsets, t->offset_size, 0) + e);
}
TULLE_INLINE int64_t tulle__two_b_col(const tulle__two_csr *t, int64_t e) {
    return tulle__get(t->b_cols, t->index_size, tulle__get(t->b_offsets, t->offset_size, 0) + e);
}

/* Returns the cut with so many items before it, or with one more. */
TULLE_INLINE tulle__cut tulle__cut_at(const tulle__two_csr *t, int64_t items) {
    int64_t row = 0;
    TULLE__LOWER_BOUND(row, t->rows, i,
                       tulle__two_a(t, i + 1) + tulle__two_b(t, i + 1) + i < items);
    tulle__cut cut = {row, tulle__two_a(t, row), tulle__two_b(t, row)};
    if (row == t->rows) return cut;
    int64_t a_length = tulle__two_a(t, row + 1) - cut.a;
    int64_t b_length = tulle__two_b(t, row + 1) - cut.b;
    int64_t here = items - row - cut.a - cut.b; /* number of items of this row before the cut */
    int64_t from_a = here > b_length ? here - b_length : 0;
    TULLE__LOWER_BOUND(from_a, here < a_length ? here : a_length, i,
                       tulle__two_a_col(t, cut.a + i) <= tulle__two_b_col(t, cut.b + here - 1 - i));
    cut.a += from_a;
    cut.b += here - from_a;
    if (from_a > 0 && here - from_a < b_length &&
        tulle__two_a_col(t, cut.a - 1) == tulle__two_b_col(t, cut.b)) {
        cut.b++;
    }
    return cut;
}

#endif
