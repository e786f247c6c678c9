/* SPDX-License-Identifier: Apache-2.0 */
/* An order and its inverse. */
#ifndef TULLE_ORDER_ORDER_H
#define TULLE_ORDER_ORDER_H

#include "core/context.h"
#include "tulle/reorder.h"

struct tulle_order {
    tulle_ctx *ctx; /* owned */
    int64_t length;
    int64_t *order, *inverse; /* in the place's memory: inverse[order[i]] = i */
};

/* Whether a public function's context and order live together, and the order has so many numbers:
 * rows or columns of the argument that it is for. */
tulle_status tulle__order_check(const char *function, const tulle_ctx *ctx, const tulle_order *P,
                                const char *name, int64_t length, const char *of);

#endif
