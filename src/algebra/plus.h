/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of two matrices as the last step of another operation. */
#ifndef TULLE_ALGEBRA_PLUS_H
#define TULLE_ALGEBRA_PLUS_H

#include "matrix/result.h"

/* C := A + beta B, for a public function that has checked its arguments. */
typedef struct tulle__plus {
    const char *function;
    const tulle_mat *A; /* NULL: not made yet */
    const tulle_mat *B;
    tulle_scalar beta;
    tulle__asked asked; /* of C's index type */
    tulle_index least;  /* that A has, unless it has more entries than that counts, */
    tulle_index index;  /* and if it has as many as it has at most: */
    double most;        /* as known before they were counted */
    double bound;       /* out: the bytes of the place that the sum may take then, A not counted */
    double predicted;   /* out: the same, as known when the sum's entries had been counted */
} tulle__plus;

/* Waits; tells progress. */
tulle_status tulle__plus_make(tulle_ctx *ctx, tulle__plus *plus, tulle_mat **C);

/* The same bound without an A; nothing is predicted. *nnz: of B, its repeated columns added up.
 * Waits. */
tulle_status tulle__plus_foresee(tulle_ctx *ctx, tulle__plus *plus, int64_t *nnz);

#endif
