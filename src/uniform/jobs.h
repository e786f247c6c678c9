/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the back ends' functions for uniform batches. */
#ifndef TULLE_UNIFORM_JOBS_H
#define TULLE_UNIFORM_JOBS_H

#include "core/place.h"
#include "tulle/factor.h"
#include "tulle/uniform.h"
#include "vector/jobs.h"

/* A pattern in the memory of the context's place. While a system is worked on, the numbers of
 * its matrix are in slots. On a GPU the slots of entry e of 32 rows follow each other, so that
 * the lanes of a warp, which have one row each, use different banks of shared memory. On a CPU,
 * and where that order would leave too many slots empty, row follows row. Within a row columns
 * ascend. */
typedef struct tulle__uniform_view {
    int n, entries, slots;
    int step;                /* distance of the slots of two successive entries of a row */
    const int32_t *slot_of;  /* [entries] slot of each entry, in the caller's order */
    const int32_t *entry_of; /* [slots] entry of each slot; 0 for an empty slot */
    const int32_t *columns;  /* [slots] column of each slot */
    const int32_t *first;    /* [n] slot of the first entry of each row */
    const int32_t *length;   /* [n] number of entries of each row */
    /* [n] slot of the diagonal entry of each row; -1: the pattern lacks it */
    const int32_t *diagonal;
    const int32_t *lower; /* [n] number of entries of each row before its diagonal */
    /* Rows by levels; the rows of a level depend only on rows of earlier levels. The rows of level
     * k are order[begin[k]] to order[begin[k + 1] - 1], for the lower triangle and for the upper
     * one. */
    int lower_levels, upper_levels;
    const int32_t *lower_order, *lower_begin, *upper_order, *upper_begin;
    /* Steps of ILU(0): those of a row are words steps_of[row] to steps_of[row + 1] - 1. For each
     * entry before the diagonal, by ascending column, they are: the entry's slot; the slot of the
     * pivot of the row with the column's number (-1: the pattern lacks it); the number of pairs
     * that follow; and the pairs, each the slot of the number from which a product is subtracted,
     * and the slot of the factor in the pivot's row. */
    const int32_t *steps_of, *steps;
} tulle__uniform_view;

/* The products y := alpha A x + beta y. Number e of system s of a is at e * row + s * col. */
typedef struct tulle__uniform_product {
    tulle__uniform_view pattern;
    tulle_type type;
    int64_t count;
    tulle_scalar alpha, beta;
    tulle__strided a, x, y;
    int64_t shared_bytes; /* for a GPU: bytes of shared memory that a block can have */
} tulle__uniform_product;

/* The solution of systems A x = b. */
typedef struct tulle__uniform_solution {
    tulle__uniform_view pattern;
    tulle_type type;
    int64_t count;
    tulle_uniform_options options; /* options, with defaults filled in */
    tulle__strided a, b, x;
    tulle_uniform_report *reports; /* reports, in the memory of the context's place; NULL: none */
    /* GMRES: number of numbers of a system's small problem, and of its triangle R */
    int64_t small, triangle;
    int64_t teams;        /* most systems that are worked on at the same time */
    int64_t team_bytes;   /* bytes of workspace per team */
    int64_t shared_bytes; /* for a GPU: bytes of shared memory that a block can have */
    void *workspace;
} tulle__uniform_solution;

/* The factors F of A, in A's pattern, without the ones of L. */
typedef struct tulle__uniform_factors {
    tulle__uniform_view pattern;
    tulle_type type;
    int64_t count;
    tulle__strided a, f;
    tulle_uniform_report *reports; /* reports, in the memory of the context's place; NULL: none */
    int64_t team_bytes;            /* for a CPU: bytes of workspace per thread */
    void *workspace;
    int64_t shared_bytes; /* for a GPU: bytes of shared memory that a block can have */
} tulle__uniform_factors;

/* Triangular solves: x := T^-1 b, or (L U)^-1 b. */
typedef struct tulle__uniform_sweeps {
    tulle__uniform_view pattern;
    tulle_type type;
    int64_t count;
    /* true for triangles that are solved with, the lower one first, and for those with a unit
     * diagonal */
    bool lower, upper, unit_lower, unit_upper;
    tulle__strided a, b, x;
    int64_t team_bytes;
    void *workspace;
    int64_t shared_bytes;
} tulle__uniform_sweeps;

/* Dense matrices, by columns: A becomes its factors, or x := A^-1 b with these factors. */
typedef struct tulle__uniform_dense {
    int n;
    tulle_factor_kind kind;
    tulle_type type;
    bool solves;
    int64_t count;
    tulle__strided a, b, x;
    int32_t *pivots;               /* [count][n] pivots; NULL for TULLE_CHOLESKY */
    tulle_uniform_report *reports; /* reports, in the memory of the context's place; NULL: none */
} tulle__uniform_dense;

/* Result of a method that has not ended. */
enum { TULLE__UNIFORM_GOES_ON = -1 };

/* The small problem of a system in GMRES: TULLE__UNIFORM_SMALL arrays of restart + 1 numbers; and
 * the triangle, by columns. */
enum {
    TULLE__UNIFORM_PART, /* components that one projection subtracts */
    TULLE__UNIFORM_COLUMN,
    TULLE__UNIFORM_COSINES,
    TULLE__UNIFORM_SINES,
    TULLE__UNIFORM_RIGHT, /* right side of the small problem, rotated */
    TULLE__UNIFORM_Y,
    TULLE__UNIFORM_SMALL
};

#endif
