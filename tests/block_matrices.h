/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices made of blocks of r x c at random places, without padding, cut at the edges, or with
 * holes, and their BSR. */
#ifndef TESTS_BLOCK_MATRICES_H
#define TESTS_BLOCK_MATRICES_H

#include "zoo.h"

enum { CELLS_WHOLE, CELLS_CUT, CELLS_HOLES, CELLS_KINDS };

typedef struct {
    int64_t rows, cols; /* numbers of block rows and of block columns */
    int tall, wide;     /* numbers of rows and of columns of a block */
    int kind;           /* CELLS_WHOLE and so on */
    uint64_t seed;
} block_shape;

/* About a third of the blocks; some block rows and columns have none. */
zoo_matrix block_matrix(const block_shape *shape);

/* The matrix in BSR with blocks of that shape, in a context. */
tulle_mat *block_mat(tulle_ctx *ctx, const zoo_matrix *m, const block_shape *shape,
                     tulle_index index, tulle_type type);

#endif
