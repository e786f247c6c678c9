/* SPDX-License-Identifier: Apache-2.0 */
/* The size of complete factors, and the work of making them, by counting alone. */
#ifndef TULLE_SOLVE_FILL_H
#define TULLE_SOLVE_FILL_H

#include "tulle/matrix.h"
#include "tulle/reorder.h"

typedef struct tulle__fill {
    double entries;  /* number of entries of L and of U, the diagonal of one of them counted */
    double products; /* multiplications and additions of a factorisation */
    double order_ms; /* time of the search for the order */
    bool whole;      /* false: L has more than `most` entries, and counting has ended there */
} tulle__fill;

/* Counts the complete factors of A, square and in CSR in the host's memory, in an order with little
 * fill, as if A's pattern were symmetric. The order is handed out; after a failure *order is NULL.
 */
tulle_status tulle__fill_count(tulle_ctx *ctx, tulle_mat *A, double most, tulle__fill *fill,
                               tulle_order **order);

#endif
