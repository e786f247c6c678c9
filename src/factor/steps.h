/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of elimination on a pattern of scalars, listed beforehand, row by row:
 *
 *     for k < i in the pattern, ascending:  A_ik := A_ik / U_kk           a division
 *         for j > k in rows k and i:        A_ij := A_ij - A_ik U_kj      a subtraction
 *
 * For L L^T, U is L^T, whose numbers are in the rows of L: L_kk for U_kk, and L_jk for U_kj, where
 * j < i. The squares of the row, which are subtracted from the diagonal A_ii, need no other row,
 * and so are no steps.
 *
 * Where dropped products count, a product A_ik U_kj whose place (i, j) is not in the pattern is a
 * subtraction too, from a number of its own behind those of the row: the n-th number of U behind
 * U_kk is subtracted from the n-th number behind the row. So no two subtractions for one k have the
 * same place.
 *
 * Each step is a word, which tells the place of the number of U: for a division the entry of U_kk;
 * for the subtractions behind it the distance from U_kk. The number that is divided follows from
 * the order: the n-th division is of the row's n-th number. gpu/steps.cuh has the bits. */
#ifndef TULLE_FACTOR_STEPS_H
#define TULLE_FACTOR_STEPS_H

#include "core/place.h"
#include "trisolve/trisolve.h"
#include "tulle/factor.h"

TULLE_BEGIN

typedef struct tulle__steps {
    int64_t count, longest; /* number of steps in all, and of the row with the most */
    /* bytes of the arrays, which are in the memory of the context's place */
    int64_t bytes;
    /* [rows + 1] begin of the steps of each place, in the schedule's integers; NULL: nothing is
     * listed */
    void *begins;
    void *words; /* [count] words of the steps, of 64 bits, or of 32 if these are enough */
    bool wide;   /* true when the words have 64 bits */
} tulle__steps;

typedef struct tulle__steps_task {
    const tulle__schedule *schedule; /* schedule of the pattern's lower triangle */
    tulle_factor_kind kind;
    bool dropped; /* true when dropped products count */
    tulle_index index;
    /* number of rows and entries of the pattern, and length of its longest row */
    int64_t rows, entries, longest;
    const void *offsets, *cols_of; /* pattern with ascending columns, in which no diagonal lacks */
    int64_t most;                  /* most steps; if there are more, nothing is listed */
} tulle__steps_task;

TULLE_END
#endif
