/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix whose rows the threads of ranks.h share, evenly, unevenly, or not at all. */
#ifndef TESTS_SHARES_H
#define TESTS_SHARES_H

#include "ranks.h"

enum { MOST_COLUMNS = 3 };

/* A matrix in host memory, the rows and columns of each rank, and how it is multiplied. */
typedef struct shares {
    int64_t rows, cols;
    int64_t *offsets, *columns;
    double *values;
    int64_t row_start[MOST_RANKS + 1], col_start[MOST_RANKS + 1];
    tulle_type type;
    tulle_trans op;
    tulle_layout layout;
    int k;
    bool replaces; /* the matrix is made with zeros, and gets its values later */
    double alpha, beta;
    double *x, *y; /* X and Y before, by columns */
} shares;

/* Makes a matrix whose rows have `least` to `most` entries in ascending columns, which may repeat,
 * and numbers of X and Y. */
shares shares_make(int64_t rows, int64_t cols, int least, int most);
void shares_drop(shares *s);

/* Diffusion on width x width x depth points with 0 beyond the border: coefficients k along the
 * three axes, times `inside` in the middle third of each axis, harmonic means between points. With
 * `inside` 0 each point has another coefficient instead. Not rounded to f32, as others are. */
typedef struct grid {
    int width, depth;
    double k[3], inside;
} grid;
shares shares_grid(const grid *g);

/* Rows, columns, least and most entries of a row: square, wide, tall, full (each process needs all
 * of x), without entries. */
enum { SHARE_SHAPES = 5 };
extern const int share_shapes[SHARE_SHAPES][4];

/* Shares rows and columns: evenly; most of them with rank 0; or with none for rank 1. */
enum { SHARE_WAYS = 3 };
void shares_deal(shares *s, int ranks, int way);

/* Makes this process's part of the matrix, where p->data is the shares. */
tulle_status shares_matrix(const process *p, tulle_type type, tulle_dist_mat **A);

/* Makes a multivector of rows first to last - 1 of numbers by columns of `all` rows. */
tulle_status shares_vector(const process *p, const double *numbers, int64_t all, int64_t first,
                           int64_t last, tulle_vec **X);

/* Makes the whole matrix in one process. */
tulle_status shares_whole(tulle_ctx *ctx, const shares *s, tulle_type type, tulle_mat **A);

/* Compares patterns and the bits of values of two matrices, as CSR. */
tulle_status shares_compare(tulle_ctx *ctx, const tulle_mat *got, const tulle_mat *due);

#endif
