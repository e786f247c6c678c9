/* SPDX-License-Identifier: Apache-2.0 */
/* The work of back ends on a level of a hierarchy. */
#ifndef TULLE_AMG_JOBS_H
#define TULLE_AMG_JOBS_H

#include "format/view.h"
#include "spmv/spmv.h"
#include "tulle/types.h"

TULLE_BEGIN

/* Kinds of rows of a splitting. */
enum {
    TULLE__AMG_OPEN,   /* not decided yet */
    TULLE__AMG_COARSE, /* a row of the next level */
    TULLE__AMG_FINE,   /* interpolated from coarse rows */
    TULLE__AMG_ALONE   /* connected strongly to no row: smoothing alone solves it */
};

/* Marks of the entries of a matrix. The last two are given to the strong connections of fine rows,
 * when rows have their kinds. The last one alone has both of its lowest bits set. */
enum {
    TULLE__AMG_WEAK,     /* no strong connection */
    TULLE__AMG_STRONG,   /* a strong connection */
    TULLE__AMG_TO_FINE,  /* a strong connection with a fine row */
    TULLE__AMG_TO_COARSE /* a strong connection with a coarse row */
};

/* Number of bytes behind the marks of all entries that may be read. */
enum { TULLE__AMG_PADDING = 8 };

/* A level's matrix, its strong connections, and its splitting into coarse and fine rows. Arrays are
 * in the place's memory. */
typedef struct tulle__amg_split {
    tulle__pattern_view csr; /* square, columns rising */
    const int64_t *names;    /* [rows] number of the row in a matrix of which csr is a part, rising;
                                NULL: csr is all of it */
    int64_t begin, end;      /* rows whose strong connections are counted */
    int64_t longest;         /* number of entries of the longest row */
    tulle_type type;
    const void *values;
    double threshold; /* share of a row's largest connection from which one is strong */
    double most_sum;  /* share of the diagonal above which the sum of a row says that the row has no
                         strong connections */
    uint8_t *strong;  /* [nnz] mark of the entry; padded by TULLE__AMG_PADDING */
    double *diagonal; /* [rows] diagonal entry */
    int32_t *influence; /* [rows] number of rows that depend strongly on the row */
    uint8_t *kind;      /* [rows] kind of the row */
    uint8_t *fine;      /* [rows] 1 for a row that this round has made fine; before
                           the first round, for one with strong connections */
    int32_t *beaten;    /* [rows] number of the last round in which a neighbour weighed more */
    int64_t *number;    /* [rows + 1] number of coarse rows before the row */
    int64_t *open;      /* number of open rows that a GPU counts */
} tulle__amg_split;

/* Marks in the place of a row's number. */
enum {
    TULLE__AMG_NOBODY = -1, /* no row */
    TULLE__AMG_BY_ROOT = -2 /* the row or a neighbour is a root */
};

/* Aggregates of a level's rows, each around a root. Of the split, `diagonal` has sizes, with 0 for
 * a row that takes no part; coarse rows are the roots; influence, fine and beaten are not used. */
typedef struct tulle__amg_aggregates {
    const tulle__amg_split *split;
    double least; /* share of the strongest connection's squared strength from which a connection
                     is strong: split->threshold^2 */
    double *strongest; /* [rows] squared strength of the row's strongest connection */
    int64_t *nearest;  /* [rows] open row that the row nominates; at the end the number of the
                          aggregate that the row has joined by itself; or a mark */
    void *aggregate;   /* [rows] number of the row's aggregate, or TULLE__AMG_NOBODY, in the type of
                          the level's columns */
} tulle__amg_aggregates;

/* A matrix of interpolation in the making: `before` is filled first, then the arrays, of CSR with
 * the index type of the level. */
typedef struct tulle__amg_part {
    int64_t *before; /* [rows + 1] number of entries of the rows before */
    void *offsets, *cols_of, *values;
} tulle__amg_part;

/* Lists of the strong connections of fine rows to coarse rows, one behind the other, which a GPU
 * makes (interpolate_near.cuh); NULL on the CPU. In types of the level. */
typedef struct tulle__amg_near_lists {
    int64_t *before; /* [rows + 1] number of entries of the lists before */
    void *columns;   /* numbers of coarse rows, in the order of the row's entries */
    void *values;    /* entries of the matrix */
} tulle__amg_near_lists;

/* Interpolation of the classical family in the making (interpolate_rules.h). Of the split,
 * influence, fine, beaten and open are not used. */
typedef struct tulle__amg_interpolation {
    const tulle__amg_split *split;
    int most;          /* largest number of entries that a row of P keeps */
    int64_t coarse;    /* number of coarse rows */
    double *to_coarse; /* [rows] sum of a fine row's strong connections to coarse rows */
    uint8_t *bits; /* [rows] base-2 logarithm of the slots of a table of the row's columns before
                      truncation, on a GPU at least that of the row's products where it has few, so
                      that the bits tell its kind (tables.cuh); 0 for rows that are not fine */
    tulle__amg_near_lists near;
    tulle__amg_part P;
} tulle__amg_interpolation;

/* Interpolation from aggregates: P = S T + T, or T. */
typedef struct tulle__amg_tentative {
    const tulle__amg_aggregates *of;
    double omega;      /* factor of smoothing */
    tulle__amg_part T; /* a 1 for each row, in the column of the row's aggregate */
    tulle__amg_part S; /* -omega D^-1 A_F, rows by rows */
} tulle__amg_tentative;

/* Largest number of entries that a row of P may keep. */
enum { TULLE__AMG_MOST_KEPT = 16 };

/* A sweep over the rows of a level: a product with the level's matrix, and steps of the smoother
 * behind the product, row by row, so that vectors of the level are read and written once:
 *
 *     r_to := r - scale A v
 *     z    := keeps scale v + takes d r_to
 *     x_to := x + scale v (if adds_v) + z
 *
 * v and A are those of `product`, whose y, alpha and beta are not used. Where product.values is
 * NULL there is no product: r_to is r, and is not written. z, r_to and x_to are none of v's numbers
 * where there is a product; r_to may be r, and x_to may be x. */
typedef struct tulle__amg_sweep {
    tulle__spmv_task product;
    double scale, keeps, takes;
    const void *r;
    void *r_to;
    const void *d; /* the smoother's diagonal, inverted; NULL: 1 */
    bool steps;    /* false: z is 0 */
    void *z;       /* NULL: z is not wanted but in x_to */
    bool adds_v;
    const void *x; /* NULL: 0 */
    void *x_to;    /* NULL: x is not wanted */
} tulle__amg_sweep;

/* The pattern of interpolation P in CSR, in which the numbers of its transpose are looked up. */
typedef struct tulle__amg_lookup {
    const void *offsets, *cols_of; /* offsets NULL: nothing is looked up */
} tulle__amg_lookup;

/* A matrix in CSR whose numbers are scaled, and maybe rounded to f32: to_ij := left_i a_ij /
 * right_j, and 0 where right_j is 0. */
typedef struct tulle__amg_narrowing {
    tulle__pattern_view A;
    tulle__amg_lookup P;        /* pattern of P, of A's index type, where A is the transpose of P */
    const double *values;       /* A's, or P's where they are looked up */
    const double *left, *right; /* NULL: 1 */
    float *to;
    bool exact;   /* true: no number of `to` may differ from what was rounded */
    double *wide; /* numbers that are not rounded, where `to` is NULL */
    int64_t
        *unfit; /* becomes TULLE__AMG_RANGE where a number of `to` is not finite, or not exact */
} tulle__amg_narrowing;

/* Reasons why a cycle is not in f32, the graver ones larger. */
enum {
    TULLE__AMG_NOISY = 1, /* roundings would be larger than numbers of a coarse matrix */
    TULLE__AMG_RANGE      /* a number has fewer digits in f32, or none */
};

/* Sums of the sizes of A's rows, to be inverted in place: d_i := 1 / d_i with the sign of the row's
 * diagonal entry, and 0 where d_i is 0, or at most lost times the row's noise (diagonal.c). */
typedef struct tulle__amg_inversion {
    tulle_type type;
    int64_t n;
    tulle__pattern_view A; /* CSR; columns ascend, and row i has its diagonal in column first + i */
    const void *values;
    int64_t first;
    void *d;
    const void *noise; /* [n] numbers of the type; NULL: all 0 */
    double lost;
    double most;    /* noise over a sum that counts, from which on there is too much for f32 */
    int64_t *unfit; /* becomes TULLE__AMG_NOISY where there is; may be NULL */
} tulle__amg_inversion;

/* Largest number of parts that the largest of n numbers is found in. */
enum { TULLE__AMG_MOST_PARTS = 512 };

/* Places in the numbers of tulle__amg.unit, behind those of parts: of the vector's exponent, and of
 * tulle__amg_narrowing.unfit. */
enum { TULLE__AMG_EXPONENT = TULLE__AMG_MOST_PARTS, TULLE__AMG_UNFIT };

/* The way of a vector into the f32 of a cycle, and out. With the exponent e of the largest of
 * |d_i b_i|, narrow := 2^-e d b; and wide := 2^e narrow. d NULL: 1. */
typedef struct tulle__amg_passage {
    int64_t n;
    const double *d, *b;
    float *narrow;
    double *wide;
    int64_t *unit; /* largest exponents of parts of the vector; e at TULLE__AMG_EXPONENT */
} tulle__amg_passage;

TULLE_END
#endif
