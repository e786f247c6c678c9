/* SPDX-License-Identifier: Apache-2.0 */
/* A multivector: n x k numbers in one place's memory. */
#ifndef TULLE_DENSE_DENSE_H
#define TULLE_DENSE_DENSE_H

#include "core/context.h"
#include "tulle/matrix.h"
#include "tulle/vec.h"

struct tulle_vec {
    tulle_ctx *ctx; /* owned */
    int64_t rows, cols, ld;
    tulle_type type;
    tulle_layout layout;
    void *data;
    bool owned; /* data came from the context's pool */
};

/* Numbers that are neighbours in memory, and how many such runs there are, ld apart. */
static inline int64_t tulle__dense_run(int64_t rows, int64_t cols, tulle_layout layout) {
    return layout == TULLE_COLUMN_MAJOR ? rows : cols;
}
static inline int64_t tulle__dense_runs(int64_t rows, int64_t cols, tulle_layout layout) {
    return layout == TULLE_COLUMN_MAJOR ? cols : rows;
}

/* Bytes from the first number of a multivector to past its last; checked when the multivector was
 * made. */
static inline size_t tulle__dense_bytes(const tulle_vec *X) {
    if (X->rows == 0 || X->cols == 0) return 0;
    int64_t runs = tulle__dense_runs(X->rows, X->cols, X->layout);
    int64_t last = tulle__dense_run(X->rows, X->cols, X->layout);
    return (size_t)(((runs - 1) * X->ld + last) * tulle_type_size(X->type));
}

/* Whether two ranges of bytes have one in common; addresses may be NULL. */
static inline bool tulle__overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    const char *p = a, *q = b;
    return a_bytes > 0 && b_bytes > 0 && a && b && p < q + b_bytes && q < p + a_bytes;
}

/* Whether two multivectors have a number in common. */
bool tulle__dense_overlap(const tulle_vec *a, const tulle_vec *b);

/* What of A the multivector has bytes in common with, in words; NULL: nothing. */
const char *tulle__dense_overlaps_matrix(const tulle_vec *X, const tulle_mat *A);

/* On the emulator: no kernel may write its numbers until no input is watched. What lies between
 * columns, or rows, may be the output's. */
tulle_status tulle__dense_watch(tulle_ctx *ctx, const tulle_vec *X);

#endif
