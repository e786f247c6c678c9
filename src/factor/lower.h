/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of L of L L^T without fill, where A's columns rise: of each row the entries up to the
 * diagonal, in their order. */
#ifndef TULLE_FACTOR_LOWER_H
#define TULLE_FACTOR_LOWER_H

#include "core/place.h"
#include "tulle/types.h"

TULLE_BEGIN

typedef struct tulle__lower_task {
    tulle_index index; /* of all offsets and columns */
    int64_t rows;
    const void *offsets, *cols_of; /* A's */
    void *lower_offsets;           /* [rows + 1] */
    void *lower_cols;              /* [entries] */
    int64_t *source;               /* [entries] the entry of A */
} tulle__lower_task;

TULLE_END
#endif
