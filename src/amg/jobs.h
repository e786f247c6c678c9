/* SPDX-License-Identifier: Apache-2.0 */
/* The work of back ends on a level of a hierarchy. */
#ifndef TULLE_AMG_JOBS_H
#define TULLE_AMG_JOBS_H

#include "format/view.h"
#include "tulle/types.h"

TULLE_BEGIN

/* Kinds of rows of a splitting. */
enum {
    TULLE__AMG_OPEN,   /* not decided yet */
    TULLE__AMG_COARSE, /* a row of the next level */
    TULLE__AMG_FINE,   /* interpolated from coarse rows */
    TULLE__AMG_ALONE   /* connected strongly to no row: smoothing alone solves it */
};

/* A level's matrix, its strong connections, and its splitting into coarse and fine rows. Arrays are
 * in the place's memory. */
typedef struct tulle__amg_split {
    tulle__pattern_view csr; /* square, columns rising */
    tulle_type type;
    const void *values;
    double threshold; /* share of a row's largest connection from which one is strong */
    double most_sum;  /* share of the diagonal above which the sum of a row says that the row has no
                         strong connections */
    uint8_t *strong;  /* [nnz] 1 for an entry that is a strong connection */
    double *diagonal; /* [rows] diagonal entry */
    int32_t *influence; /* [rows] number of rows that depend strongly on the row */
    uint8_t *kind;      /* [rows] kind of the row */
    uint8_t *fine;      /* [rows] 1 for a row that this round has made fine */
    int32_t *beaten;    /* [rows] number of the last round in which a neighbour weighed more */
    int64_t *number;    /* [rows + 1] number of coarse rows before the row */
    int32_t *open;      /* number of open rows; 0 before a round */
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

/* The factors of interpolation: P = scaled (M N + N), for fine rows (interpolate.c). */
typedef struct tulle__amg_factors {
    const tulle__amg_split *split;
    double *to_coarse;       /* [rows] sum of a fine row's strong connections to coarse rows */
    double *weight;          /* [rows] the number that a fine row of M N + N is divided by, with the
                                other sign */
    tulle__amg_part between; /* M: fine rows by fine rows */
    tulle__amg_part down;    /* N: fine rows by coarse rows */
} tulle__amg_factors;

/* Interpolation from M N + N: divided, truncated, and with the rows of coarse points. */
typedef struct tulle__amg_interpolation {
    const tulle__amg_split *split;
    const double *weight;    /* as in tulle__amg_factors */
    tulle__pattern_view raw; /* pattern of M N + N, columns rising; rows as in split */
    const void *raw_values;
    int most; /* largest number of entries that a row keeps */
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

/* One step of a polynomial smoother: z := keeps z + takes d r, number by number, and x := x + z. */
typedef struct tulle__amg_step {
    tulle_type type;
    int64_t n;
    double keeps, takes; /* keeps 0: z is not read */
    bool first;          /* true: x := z, and x is not read */
    const void *d, *r;   /* d: the smoother's diagonal, inverted */
    void *z, *x;
} tulle__amg_step;

TULLE_END
#endif
