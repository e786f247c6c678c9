/* SPDX-License-Identifier: Apache-2.0 */
/* The work of back ends on a level of a system: matrices in BSR without padding, of which a row of
 * blocks belongs to a node. */
#ifndef TULLE_AMG_BLOCK_JOBS_H
#define TULLE_AMG_BLOCK_JOBS_H

#include "format/view.h"
#include "tulle/types.h"

TULLE_BEGIN

/* Largest number of rows and of columns of a block, and of columns of a near null space. */
enum { TULLE__AMG_MOST_BLOCK = 16 };

/* Number of partial sums of a sum over the rows of an aggregate. */
enum { TULLE__AMG_SUM_PARTS = 32 };

/* A matrix of blocks. Cell (p, q) of block k is number (k tall + p) wide + q. */
typedef struct tulle__amg_blocks {
    tulle_type type;
    int tall, wide;          /* rows and columns of a block */
    tulle__pattern_view csr; /* the pattern of blocks, columns rising, as if each were an entry */
    const void *values;
} tulle__amg_blocks;

/* Sizes of the blocks of a level's matrix. */
typedef struct tulle__amg_sizing {
    tulle__amg_blocks A;
    double least_others; /* share of the size of its diagonal block below which the other blocks of
                            a node say that smoothing alone solves it */
    double *sizes;       /* [blocks] */
    double *diagonal;    /* [nodes] size of the node's diagonal block, 0: it takes no part */
} tulle__amg_sizing;

/* Near null spaces of aggregates, which become orthonormal. */
typedef struct tulle__amg_orthogonal {
    int64_t aggregates;
    tulle_index index;
    const void *offsets, *nodes; /* nodes of each aggregate, rising, as rows of CSR */
    int tall;                    /* rows of a node */
    int columns;                 /* columns of the near null space */
    double least;     /* share of a column's norm; a rest below it depends on columns before */
    double *numbers;  /* [nodes * tall * columns] near null space by rows; becomes orthonormal */
    double *coarse;   /* [aggregates * columns * columns] that of the next level, by rows */
    int64_t *dropped; /* number of columns of aggregates that depend on others; added to */
} tulle__amg_orthogonal;

/* T in blocks: each node with an aggregate has one block, its rows of `numbers`. */
typedef struct tulle__amg_spread {
    tulle__pattern_view T; /* nodes x aggregates, CSR */
    int cells;             /* cells of a block */
    const double *numbers; /* [nodes * cells] */
    tulle_type type;
    void *values; /* [entries of T * cells] */
} tulle__amg_spread;

/* Diagonal blocks of a matrix, and their inverses, by rows. */
typedef struct tulle__amg_block_diagonal {
    tulle__amg_blocks A;
    const double *made; /* [nodes * tall] sizes of the numbers that unknowns are made of; NULL: A is
                           the first level's */
    double lost;        /* share of these below which a pivot is of roundings, and counts as 0 */
    double *sizes;      /* [nodes * tall] becomes the sizes of A's diagonal; NULL: nobody asks */
    double *blocks, *inverses; /* [nodes * tall * tall] */
} tulle__amg_block_diagonal;

/* Sizes of the numbers in A that unknowns are made of, to := (R o R) from, R o R having the squares
 * of R's numbers. */
typedef struct tulle__amg_made_of {
    tulle__amg_blocks R;
    const double *from; /* [columns of R] */
    double *to;         /* [rows of R] */
} tulle__amg_made_of;

/* A step of the power method, to := (D^-1 A x) / by, where D has the diagonal blocks of A. */
typedef struct tulle__amg_power {
    tulle__amg_blocks A;
    const double *inverses; /* inverted blocks of D */
    const double *x;        /* NULL: numbers from -1 to 1 that are hashes of the rows' numbers */
    const double *by;       /* largest size in x, in the place's memory; NULL: 1 */
    double *to;
} tulle__amg_power;

/* The matrix that smooths T: I - omega D^-1 A in the rows of nodes that have an aggregate. */
typedef struct tulle__amg_block_smoothing {
    tulle__amg_blocks A;
    double omega;
    const double *inverses; /* inverted blocks of D */
    const void *with;       /* offsets of T, where a node without an aggregate has no entry */
    int64_t *before;        /* [nodes + 1] number of blocks of the nodes before */
    void *offsets, *cols_of, *values;
} tulle__amg_block_smoothing;

/* A block diagonal matrix times a vector, to := blocks b. */
typedef struct tulle__amg_block_product {
    tulle_type type; /* type of the blocks and of the vectors */
    int tall;
    int64_t rows;
    const void *blocks; /* [rows * tall] by rows */
    const void *b;
    void *to;
} tulle__amg_block_product;

/* A matrix of blocks times block diagonal ones: to_ij := left_i B_ij right_j. */
typedef struct tulle__amg_scaling {
    tulle__amg_blocks B;
    const uint32_t *mask;       /* entries among the cells of B, others counting as 0, where left
                                   and right are NULL; NULL: all cells are entries */
    const double *left, *right; /* by rows; NULL: identities */
    tulle_type type;            /* type of `to` */
    void *to;
    int64_t *unfit; /* becomes TULLE__AMG_RANGE where a number of `to` is not finite; NULL: nobody
                       asks */
} tulle__amg_scaling;

TULLE_END
#endif
