/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the backends' functions for uniform batches. */
#ifndef TULLE_UNIFORM_JOBS_H
#define TULLE_UNIFORM_JOBS_H

#include "core/place.h"
#include "tulle/factor.h"
#include "tulle/uniform.h"
#include "vector/jobs.h"

/* A pattern in the place's memory. While a system is worked on, the numbers of its matrix are in
 * slots: on a GPU entry e of each of 32 rows beside each other, so that the lanes of a warp, which
 * have a row each, meet no other's bank of shared memory; row after row where that would leave too
 * many slots empty, and on a CPU. In a row columns rise. */
typedef struct tulle__uniform_view {
    int n, entries, slots;
    int step;                /* from the slot of an entry to that of the next one in its row */
    const int32_t *slot_of;  /* [entries] in the caller's order */
    const int32_t *entry_of; /* [slots] and back; 0 where there is none */
    const int32_t *columns;  /* [slots] */
    const int32_t *first;    /* [n] the slot of a row's first entry */
    const int32_t *length;   /* [n] entries of a row */
    const int32_t *diagonal; /* [n] its slot; -1: the pattern lacks it */
    const int32_t *lower;    /* [n] entries of a row before its diagonal */
    /* Rows by levels, those of a level waiting only for rows of levels before: in order, from
     * begin[k] to begin[k + 1], first of the lower triangle, then of the upper one. */
    int lower_levels, upper_levels;
    const int32_t *lower_order, *lower_begin, *upper_order, *upper_begin;
    /* ILU(0): the steps of a row are words from steps_of[row] to steps_of[row + 1]: for each entry
     * before the diagonal, as columns rise, its slot, that of the pivot of the row of its column
     * (-1: the pattern lacks it), and how many pairs follow: the slot of what is taken off, and of
     * the number in the pivot's row. */
    const int32_t *steps_of, *steps;
} tulle__uniform_view;

/* y := alpha A x + beta y. Number e of system s of a is at e * row + s * col. */
typedef struct tulle__uniform_product {
    tulle__uniform_view pattern;
    tulle_type type;
    int64_t count;
    tulle_scalar alpha, beta;
    tulle__strided a, x, y;
    int64_t shared_bytes; /* of a GPU: that a block can have */
} tulle__uniform_product;

/* A x = b. */
typedef struct tulle__uniform_solution {
    tulle__uniform_view pattern;
    tulle_type type;
    int64_t count;
    tulle_uniform_options options; /* defaults filled in */
    tulle__strided a, b, x;
    tulle_uniform_report *reports; /* in the place's memory; NULL: none */
    int64_t small, triangle; /* GMRES: numbers of the small problem of a system, and of its R */
    int64_t teams;           /* systems that are worked on at the same time, at most */
    int64_t team_bytes;      /* of workspace that each of these has */
    int64_t shared_bytes;    /* of a GPU: that a block can have */
    void *workspace;
} tulle__uniform_solution;

/* F := the factors of A in its pattern, the ones of L left out. */
typedef struct tulle__uniform_factors {
    tulle__uniform_view pattern;
    tulle_type type;
    int64_t count;
    tulle__strided a, f;
    tulle_uniform_report *reports; /* in the place's memory; NULL: none */
    int64_t team_bytes;            /* of a CPU: of workspace that each thread has */
    void *workspace;
    int64_t shared_bytes; /* of a GPU: that a block can have */
} tulle__uniform_factors;

/* x := T^-1 b, or (L U)^-1 b. */
typedef struct tulle__uniform_sweeps {
    tulle__uniform_view pattern;
    tulle_type type;
    int64_t count;
    bool lower, upper, unit_lower, unit_upper; /* which triangles, one after the other */
    tulle__strided a, b, x;
    int64_t team_bytes;
    void *workspace;
    int64_t shared_bytes;
} tulle__uniform_sweeps;

/* Dense matrices, by columns: A becomes its factors, or x := A^-1 b with these. */
typedef struct tulle__uniform_dense {
    int n;
    tulle_factor_kind kind;
    tulle_type type;
    bool solves;
    int64_t count;
    tulle__strided a, b, x;
    int32_t *pivots;               /* [count][n]; TULLE_CHOLESKY: NULL */
    tulle_uniform_report *reports; /* in the place's memory; NULL: none */
} tulle__uniform_dense;

/* A method has not ended. */
enum { TULLE__UNIFORM_GOES_ON = -1 };

/* GMRES: the small problem of a system is in so many arrays of restart + 1 numbers, and the
 * triangle, by columns. */
enum {
    TULLE__UNIFORM_PART, /* what one projection takes off */
    TULLE__UNIFORM_COLUMN,
    TULLE__UNIFORM_COSINES,
    TULLE__UNIFORM_SINES,
    TULLE__UNIFORM_RIGHT, /* the right side, rotated */
    TULLE__UNIFORM_Y,
    TULLE__UNIFORM_SMALL
};

#endif
