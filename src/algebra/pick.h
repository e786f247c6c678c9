/* SPDX-License-Identifier: Apache-2.0 */
/* A pick: a new CSR matrix C of some entries of a CSR matrix A, chosen by their diagonals or by the
 * pattern of B. */
#ifndef TULLE_ALGEBRA_PICK_H
#define TULLE_ALGEBRA_PICK_H

#include "algebra/add.h"
#include "format/view.h"

TULLE_BEGIN

/* One pick. The back end counts the entries, calls make_c, and fills C's arrays. */
typedef struct tulle__pick tulle__pick;
struct tulle__pick {
    const tulle__pattern_view *a;
    tulle_type type;
    const void *values; /* values of A */
    /* entries (i, j) with least <= j - i <= most are picked if there is no B */
    int64_t least, most;
    /* Pattern of B, with A's shape and index type, or NULL. Entries of A that B has too are picked,
     * and multiplied by B's; the columns of A and B must ascend without repetition. */
    const tulle__pattern_view *b;
    const void *b_values;
    /* Allocates C for so many entries; C has the index type of A. */
    tulle_status (*make_c)(tulle__pick *pick, int64_t nnz);
    tulle__sum c;
};

TULLE_INLINE bool tulle__in_band(int64_t least, int64_t most, int64_t row, int64_t col) {
    return col - row >= least && col - row <= most;
}

TULLE_END
#endif
