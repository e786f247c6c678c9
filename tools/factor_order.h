/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_FACTOR_ORDER_H
#define TOOL_FACTOR_ORDER_H

#include "tulle/tulle.h"

/* The reverse Cuthill-McKee order of the rows of a CSR, or of the block rows of a BSR. */
tulle_status tool_factor_order(tulle_ctx *ctx, const tulle_mat *A, tulle_order **P);

#endif
