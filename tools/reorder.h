/* SPDX-License-Identifier: Apache-2.0 */
/* Puts matrices in the reverse Cuthill-McKee order. */
#ifndef TOOL_REORDER_H
#define TOOL_REORDER_H

#include "tulle/tulle.h"

/* Makes B := P A P^T with the reverse Cuthill-McKee order P, which the caller destroys; P may be
 * NULL. */
tulle_status tool_reorder(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B, tulle_order **P);

/* Writes an order as a Matrix Market array of one column: line i has the number, from 1 on, that is
 * at place i. The file appears whole or not at all. */
tulle_status tool_save_order(tulle_ctx *ctx, const char *path, const tulle_order *P);

#endif
