/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_FACTOR_CHECK_H
#define TOOL_FACTOR_CHECK_H

#include "operand.h"
#include "tulle/factor.h"

/* Checks that this machine has room for the check of such factors. */
tulle_status tool_factor_check_room(const tool_operand *A, const tulle_factor_info *factors);

#endif
