/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_CHECK_FACTOR_H
#define TOOL_CHECK_FACTOR_H

#include "tools/common/verify_factor.h"

/* Checks exported factors L and U against `whole`, the matrix A with both of its triangles. `order`
 * NULL: the rows were not reordered. */
tulle_status tool_factor_check(tulle_ctx *ctx, const tulle_mat *whole, const tulle_mat *L,
                               const tulle_mat *U, const tulle_factor_options *options,
                               const tulle_order *order, int64_t boosted, tool_entry_error *found);

#endif
