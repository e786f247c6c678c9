/* SPDX-License-Identifier: Apache-2.0 */
/* Moves and scales rows of multivectors, into the order of factors and back. */
#ifndef TULLE_FACTOR_MOVE_H
#define TULLE_FACTOR_MOVE_H

#include <stdbool.h>

#include "core/place.h"

TULLE_BEGIN

/* The numbers of a multivector: (i, j) is at data[i * row + j * col]. */
typedef struct tulle__move_end {
    void *data;
    int64_t row, col;
} tulle__move_end;

/* A move: row i of `ordered` is row order[i] of `natural`. In both directions each number is
 * multiplied by its row's scale. */
typedef struct tulle__move {
    tulle_type type;
    int64_t rows, cols;
    const int64_t *order; /* order of the rows; NULL: i itself */
    const void *scale;    /* [rows] scales of scale_type, by ordered row; NULL: ones */
    tulle_type scale_type;
    tulle__move_end natural, ordered;
    bool back; /* true for a move from ordered to natural */
} tulle__move;

TULLE_END
#endif
