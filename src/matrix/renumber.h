/* SPDX-License-Identifier: Apache-2.0 */
/* Hypersparse matrices: operations on matrices with so many rows or columns that a table of all of
 * them would be far larger than their entries. The rows and columns that have entries get new
 * indices, 0, 1, 2, ... in their order, the ordinary operation makes a result of these, and the
 * result gets the old numbers back. The order of entries stays, and so do the bits of every sum. */
#ifndef TULLE_MATRIX_RENUMBER_H
#define TULLE_MATRIX_RENUMBER_H

#include "matrix/build.h"

/* Rows or columns that several matrices have in common: the rows of A and those of C, or the
 * columns of A and the rows of B. */
typedef struct tulle__axis {
    int64_t size;     /* number of all rows or columns */
    bool few;         /* true: new indices are given; false: the old ones stay */
    int64_t count;    /* number of rows or columns that have entries */
    int64_t *numbers; /* old indices of the rows or columns that have entries, ascending; owned, in
                         host memory */
} tulle__axis;

/* A matrix, as it is stored, and the axes of its rows and columns. */
typedef struct tulle__axes_of {
    const tulle_mat *A;
    tulle__axis *rows, *cols;
} tulle__axes_of;

/* Finds out which axes are renumbered: those with at least 2^30 rows or columns and, in all
 * matrices together, fewer than one entry for sixteen of them, where no matrix has a table of
 * the axis. Returns true when any axis is renumbered. Matrices that are NULL do not count. */
bool tulle__axes_find(const tulle__axes_of *m, int count);

/* Finds the numbers of these axes. On failure tulle__axes_free frees what there is. Waits. */
tulle_status tulle__axes_list(tulle_ctx *ctx, const tulle__axes_of *m, int count);
void tulle__axes_free(tulle_ctx *ctx, const tulle__axes_of *m, int count);

/* Makes the matrix with new indices, which borrows A's values; *B becomes NULL if there is no
 * matrix. Waits. */
tulle_status tulle__renumber(tulle_ctx *ctx, const tulle__axes_of *m, tulle_mat **small);

/* Makes C, with the old indices, of a CSR with the new ones, which it takes: a DCSR if its rows
 * were renumbered, else a CSR. Waits. */
tulle_status tulle__renumber_back(tulle_ctx *ctx, const tulle__axis *rows, const tulle__axis *cols,
                                  tulle_mat *small, tulle_mat **C);

/* The bytes of the context's memory that tulle__renumber_back may take beside a result of so many
 * entries. */
double tulle__renumber_back_bytes(const tulle__axis *rows, tulle_index index, double nnz);

/* An array of indices or offsets as the host reads it: in place on a CPU, else copied. */
typedef struct tulle__host_array {
    const void *data;
    void *owned;
} tulle__host_array;
tulle_status tulle__host_array_read(tulle_ctx *ctx, const void *from, int64_t count, int64_t size,
                                    tulle__host_array *array);
void tulle__host_array_free(tulle_ctx *ctx, tulle__host_array *array);

/* Makes an array of the context's memory with the numbers of a host array. */
tulle_status tulle__host_array_put(tulle_ctx *ctx, const void *host, int64_t count, int64_t size,
                                   void **array);

#endif
