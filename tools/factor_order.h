/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_FACTOR_ORDER_H
#define TOOL_FACTOR_ORDER_H

#include "tulle/tulle.h"

/* Orders in which a matrix can be factorised. */
typedef enum tool_order {
    TOOL_ORDER_NONE,
    TOOL_ORDER_RCM,
    TOOL_ORDER_AMD,
    TOOL_ORDER_NESTED
} tool_order;

#define TOOL_ORDERS "none|rcm|amd|nd"

const char *tool_order_name(tool_order order);  /* the name in TOOL_ORDERS */
const char *tool_order_title(tool_order order); /* the name for people */

/* Finds an order, which is not TOOL_ORDER_NONE, of the rows of a CSR matrix, or of the block rows
 * of a BSR matrix. */
tulle_status tool_factor_order(tulle_ctx *ctx, const tulle_mat *A, tool_order wanted,
                               tulle_order **P);

#endif
