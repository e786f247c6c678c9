/* SPDX-License-Identifier: Apache-2.0 */
/* The job of the back ends' functions gather_rows and scatter_rows. */
#ifndef TULLE_DENSE_GATHER_H
#define TULLE_DENSE_GATHER_H

#include "core/place.h"

/* gather_rows computes to(i, c) := from(order[i], c), where items are moved bit by bit.
 * scatter_rows computes to(order[i], c) := from(i, c), or adds from(i, c) to it, for items in f32
 * (4 bytes) or f64 and rows that differ from each other. Element (i, c) of an array is at i * row +
 * c * col. The arrays must not overlap. */
typedef struct tulle__gather {
    int64_t rows, cols;
    int64_t order_size; /* bytes of a number of the order: 4 or 8 */
    const void *order;
    int64_t item_size; /* bytes of an item: 4 or 8 */
    const void *from;
    int64_t from_row, from_col;
    void *to;
    int64_t to_row, to_col;
    bool adds; /* scatter_rows: true when it adds */
} tulle__gather;

#endif
