/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of two matrices as the last step of another operation. */
#ifndef TULLE_ALGEBRA_PLUS_H
#define TULLE_ALGEBRA_PLUS_H

#include "matrix/result.h"

/* The sum C := A + beta B, for a public function that has checked its arguments. */
typedef struct tulle__plus {
    const char *function;
    const tulle_mat *A; /* first operand; NULL: the operand is not made yet */
    const tulle_mat *B;
    tulle_scalar beta;
    tulle__asked asked; /* index type of C that the caller asks for */
    tulle_index least;  /* index type of A, unless A has more entries than that type counts */
    tulle_index index;  /* index type of A if A has `most` entries */
    double most;        /* most entries that A can have, as known before they are counted */
    /* result: most bytes that the sum takes if A has `most` entries; A itself is not counted */
    double bound;
    /* result: bytes that the sum takes without A, as known once the sum's entries have been
     * counted */
    double predicted;
} tulle__plus;

/* Computes the sum. Waits for the device, and reports progress. */
tulle_status tulle__plus_make(tulle_ctx *ctx, tulle__plus *plus, tulle_mat **C);

/* Computes plus->bound without an A. *nnz is the number of entries of B with repeated columns added
 * up. Waits for the device. */
tulle_status tulle__plus_foresee(tulle_ctx *ctx, tulle__plus *plus, int64_t *nnz);

#endif
