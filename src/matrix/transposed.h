/* SPDX-License-Identifier: Apache-2.0 */
/* The transposed copy that planned A^T x products run on. */
#ifndef TULLE_MATRIX_TRANSPOSED_H
#define TULLE_MATRIX_TRANSPOSED_H

#include "matrix/matrix.h"

/* What a planned A^T x needs beside its plan, before it is A's. */
typedef struct tulle__transposed_parts {
    tulle__transposed *transposed; /* the pattern's, or a new one */
    void *values;                  /* new ones in its order; NULL where A has them */
    bool is_new;                   /* transposed is not yet the pattern's */
} tulle__transposed_parts;

/* Makes what A lacks, in the context's memory and its flow of work; nothing on failure. Only who
 * builds a plan may ask. */
tulle_status tulle__transposed_make(tulle_ctx *ctx, const tulle_mat *A,
                                    tulle__transposed_parts *parts);

/* Gives the parts, whose work is done, to A and its pattern, whose lock is held; or gives up those
 * that are new. */
void tulle__transposed_keep(tulle_ctx *ctx, tulle_mat *A, const tulle__transposed_parts *parts);
void tulle__transposed_drop(tulle_ctx *ctx, const tulle__transposed_parts *parts);

/* NULL is fine. */
void tulle__transposed_release(tulle__transposed *transposed);

/* Bytes of the transposed pattern with its permutation and of A's values in its order. */
int64_t tulle__transposed_bytes(const tulle_mat *A);

#endif
