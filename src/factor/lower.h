/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of L of L L^T without fill, where A's columns ascend: the entries of each row up to
 * the diagonal, in their order. */
#ifndef TULLE_FACTOR_LOWER_H
#define TULLE_FACTOR_LOWER_H

#include "core/place.h"
#include "tulle/types.h"

TULLE_BEGIN

typedef struct tulle__lower_task {
    tulle_index index; /* index type of all offsets and columns */
    int64_t rows;
    const void *offsets, *cols_of; /* pattern of A */
    void *lower_offsets;           /* [rows + 1] result: offsets of L */
    void *lower_cols;              /* [entries] result: columns of L */
    int64_t *source;               /* [entries] result: entry of A for each entry of L */
} tulle__lower_task;

TULLE_END
#endif
