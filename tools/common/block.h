/* SPDX-License-Identifier: Apache-2.0 */
/* Copies multivectors between a place and the host, where their columns stand one after another. */
#ifndef TOOL_BLOCK_H
#define TOOL_BLOCK_H

#include "tulle/tulle.h"

/* Returns host memory for all numbers of the block; freed by free(). */
void *tool_block_host(const tulle_vec *block);

tulle_status tool_block_write(tulle_ctx *ctx, tulle_vec *block, const void *columns);
tulle_status tool_block_read(tulle_ctx *ctx, const tulle_vec *block, void *columns);

#endif
