/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_FACTOR_CHECK_H
#define TOOL_FACTOR_CHECK_H

#include "operand.h"
#include "tools/common/verify_factor.h"

/* Whether this machine has room for the check of such factors. */
tulle_status tool_factor_check_room(const tool_operand *A, const tulle_factor_info *factors);

/* Checks L and U, as they were exported, against `whole`: all that A means. order: NULL: none. */
tulle_status tool_factor_check(tulle_ctx *ctx, const tulle_mat *whole, const tulle_mat *L,
                               const tulle_mat *U, const tulle_factor_options *options,
                               const tulle_order *order, int64_t boosted, tool_entry_error *found);

#endif
