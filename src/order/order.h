/* SPDX-License-Identifier: Apache-2.0 */
/* An order and its inverse. */
#ifndef TULLE_ORDER_ORDER_H
#define TULLE_ORDER_ORDER_H

#include "core/context.h"
#include "tulle/reorder.h"

struct tulle_order {
    tulle_ctx *ctx; /* context of the order; owned */
    int64_t length;
    /* order and its inverse, inverse[order[i]] = i, in the memory of the context's place */
    int64_t *order, *inverse;
};

/* Checks for a public function that context and order are in the same memory space, and that the
 * order has `length` numbers, one for each of the rows or columns (`of`) of its argument. */
tulle_status tulle__order_check(const char *function, const tulle_ctx *ctx, const tulle_order *P,
                                const char *name, int64_t length, const char *of);

#endif
