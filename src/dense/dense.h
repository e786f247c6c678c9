/* SPDX-License-Identifier: Apache-2.0 */
/* A multivector: n x k numbers in the memory of one place. */
#ifndef TULLE_DENSE_DENSE_H
#define TULLE_DENSE_DENSE_H

#include "core/context.h"
#include "tulle/matrix.h"
#include "tulle/vec.h"

struct tulle_vec {
    tulle_ctx *ctx; /* context of the multivector; owned */
    int64_t rows, cols, ld;
    tulle_type type;
    tulle_layout layout;
    void *data;
    bool owned; /* true when the data are from the context's pool */
};

/* tulle__dense_run returns the length of a run, numbers that follow each other in memory; the next
 * function returns the number of runs, which are ld apart. */
static inline int64_t tulle__dense_run(int64_t rows, int64_t cols, tulle_layout layout) {
    return layout == TULLE_COLUMN_MAJOR ? rows : cols;
}
static inline int64_t tulle__dense_runs(int64_t rows, int64_t cols, tulle_layout layout) {
    return layout == TULLE_COLUMN_MAJOR ? cols : rows;
}

/* Returns the bytes from the first number of a multivector to behind its last. The maker of the
 * multivector has checked that the number fits. */
static inline size_t tulle__dense_bytes(const tulle_vec *X) {
    if (X->rows == 0 || X->cols == 0) return 0;
    int64_t runs = tulle__dense_runs(X->rows, X->cols, X->layout);
    int64_t last = tulle__dense_run(X->rows, X->cols, X->layout);
    return (size_t)(((runs - 1) * X->ld + last) * tulle_type_size(X->type));
}

/* Returns column j of a multivector, which owns nothing. */
static inline tulle_vec tulle__column_of(const tulle_vec *X, int64_t j) {
    const int64_t step = X->layout == TULLE_COLUMN_MAJOR ? X->ld : 1;
    tulle_vec column = *X;
    column.cols = 1;
    column.data = (char *)X->data + j * step * tulle_type_size(X->type);
    return column;
}

/* Returns true when two ranges of bytes overlap; addresses may be NULL. */
static inline bool tulle__overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    const char *p = a, *q = b;
    return a_bytes > 0 && b_bytes > 0 && a && b && p < q + b_bytes && q < p + a_bytes;
}

/* Returns true when two multivectors have a number in common. */
bool tulle__dense_overlap(const tulle_vec *a, const tulle_vec *b);

/* Returns the name of an array of A that overlaps the multivector, in words, or NULL. */
const char *tulle__dense_overlaps_matrix(const tulle_vec *X, const tulle_mat *A);

/* On the emulator: forbids kernels to write the multivector's numbers until the watch of inputs
 * ends. Memory between its columns or rows may belong to the output. */
tulle_status tulle__dense_watch(tulle_ctx *ctx, const tulle_vec *X);

#endif
