/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices in the reverse Cuthill-McKee order, for those who ask. */
#ifndef TOOL_REORDER_H
#define TOOL_REORDER_H

#include "tulle/tulle.h"

/* *B := P A P^T. P, which may be NULL, is the caller's. */
tulle_status tool_reorder(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B, tulle_order **P);

/* Writes an order as a Matrix Market array of one column: line i has the number, from 1 on, that is
 * at place i. The file appears whole or not at all. */
tulle_status tool_save_order(tulle_ctx *ctx, const char *path, const tulle_order *P);

#endif
