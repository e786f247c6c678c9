/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of multivectors into the order of factors and back, and scaled. */
#ifndef TULLE_FACTOR_MOVE_H
#define TULLE_FACTOR_MOVE_H

#include <stdbool.h>

#include "core/place.h"

TULLE_BEGIN

/* A multivector's numbers: (i, j) at data[i * row + j * col]. */
typedef struct tulle__move_end {
    void *data;
    int64_t row, col;
} tulle__move_end;

/* Row i of `ordered` is row order[i] of `natural`; whichever way, each number is multiplied by its
 * row's scale. */
typedef struct tulle__move {
    tulle_type type;
    int64_t rows, cols;
    const int64_t *order; /* NULL: i itself */
    const void *scale;    /* [rows] of scale_type, by ordered row; NULL: ones */
    tulle_type scale_type;
    tulle__move_end natural, ordered;
    bool back; /* from ordered to natural */
} tulle__move;

TULLE_END
#endif
