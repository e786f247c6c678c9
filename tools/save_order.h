/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the order of the rows of a matrix to a file. */
#ifndef TOOL_SAVE_ORDER_H
#define TOOL_SAVE_ORDER_H

#include "tulle/tulle.h"

/* Writes an order as a Matrix Market array of one column: line i has the number, from 1 on, that is
 * at place i. The file appears whole or not at all. */
tulle_status tool_save_order(tulle_ctx *ctx, const char *path, const tulle_order *P);

#endif
