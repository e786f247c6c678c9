/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that find orders with little fill. Each sets order[i] to the node at place i. */
#ifndef TULLE_ORDER_FILL_H
#define TULLE_ORDER_FILL_H

#include "order/graph.h"

tulle_status tulle__order_amd(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                              int64_t *order);
tulle_status tulle__order_nested(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                                 int64_t *order);

/* Copies an array of numbers of `size` bytes into a new array of numbers of `wanted` bytes; sizes
 * are 4 or 8, and the numbers must fit. */
tulle_status tulle__order_copy(tulle_ctx *ctx, const void *numbers, int64_t size, int64_t count,
                               int64_t wanted, void **copy);

#endif
