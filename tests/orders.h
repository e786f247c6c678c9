/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of orders share. */
#ifndef TESTS_ORDERS_H
#define TESTS_ORDERS_H

#include "tulle/tulle.h"

/* The most numbers that the orders of the tests have. */
enum { ORDERS_MOST = 4096 };

/* A random order of n numbers. */
tulle_order *order_shuffled(tulle_ctx *ctx, int64_t n, uint64_t seed);

/* Reads P, which must be a permutation of n numbers, and its inverse. */
void order_check(tulle_ctx *ctx, const tulle_order *P, int64_t n, int64_t *order, int64_t *inverse);

/* P A Q^T */
tulle_mat *order_apply(tulle_ctx *ctx, const tulle_mat *A, const tulle_order *P,
                       const tulle_order *Q);

#endif
