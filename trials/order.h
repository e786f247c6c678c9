/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRIAL_ORDER_H
#define TRIAL_ORDER_H

#include "tulle/tulle.h"

/* Orders in which a matrix can be factorised. */
typedef enum trial_order {
    TRIAL_ORDER_NONE,
    TRIAL_ORDER_RCM,
    TRIAL_ORDER_AMD,
    TRIAL_ORDER_NESTED
} trial_order;

#define TRIAL_ORDERS "none|rcm|amd|nd"

const char *trial_order_name(trial_order order);  /* the name in TRIAL_ORDERS */
const char *trial_order_title(trial_order order); /* the name for people */

/* Finds an order, which is not TRIAL_ORDER_NONE, of the rows of a CSR matrix, or of the block rows
 * of a BSR matrix. */
tulle_status trial_order_find(tulle_ctx *ctx, const tulle_mat *A, trial_order wanted,
                              tulle_order **P);

/* Makes B := P A P^T of a CSR matrix, P such an order, which the caller destroys; P may be NULL. */
tulle_status trial_order_apply(tulle_ctx *ctx, const tulle_mat *A, trial_order wanted,
                               tulle_mat **B, tulle_order **P);

#endif
