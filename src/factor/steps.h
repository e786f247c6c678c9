/* SPDX-License-Identifier: Apache-2.0 */
/* What elimination does on a pattern of scalars, listed beforehand, row by row:
 *
 *     for k < i in the pattern, ascending:  A_ik := A_ik / U_kk           a division
 *         for j > k in rows k and i:        A_ij := A_ij - A_ik U_kj      a subtraction
 *
 * Of L L^T, U is L^T, whose numbers stand in the rows of L: L_kk for U_kk, and L_jk for U_kj, where
 * j < i. What the diagonal A_ii loses, the squares of its row, needs no other row, and no step.
 *
 * Where what is dropped counts, a product A_ik U_kj whose place (i, j) is not in the pattern is a
 * subtraction, too, from a number of its own behind those of the row: the n-th behind U_kk from the
 * n-th behind the row. So no two that are taken for one k have the same place.
 *
 * A word is a step. It says where the number of U stands: of a division, by the entry of U_kk; of
 * the subtractions behind it, by how far behind U_kk. Divisions need not say which number is
 * divided: the n-th is of the row's n-th. gpu/steps.cuh has the bits. */
#ifndef TULLE_FACTOR_STEPS_H
#define TULLE_FACTOR_STEPS_H

#include "core/place.h"
#include "trisolve/trisolve.h"
#include "tulle/factor.h"

TULLE_BEGIN

typedef struct tulle__steps {
    int64_t count, longest; /* steps in all, and of the row that has most */
    int64_t bytes;          /* of the arrays, which are in the place's memory */
    void *begins; /* [rows + 1] where the steps of a place begin, in the schedule's integers; NULL:
                     nothing is listed */
    void *words;  /* [count] of 64 bits, or of 32 where that is enough */
    bool wide;    /* they have 64 */
} tulle__steps;

typedef struct tulle__steps_task {
    const tulle__schedule *schedule; /* of the pattern's lower triangle */
    tulle_factor_kind kind;
    bool dropped; /* counts */
    tulle_index index;
    int64_t rows, entries, longest; /* of the pattern; longest row */
    const void *offsets, *cols_of;  /* columns rise in each row, and the diagonal lacks nowhere */
    int64_t most;                   /* where there are more steps, nothing is listed */
} tulle__steps_task;

TULLE_END
#endif
