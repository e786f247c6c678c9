/* SPDX-License-Identifier: Apache-2.0 */
/* What a preconditioner costs beside Jacobi's, by measuring. */
#ifndef TOOL_SOLVE_RATIO_H
#define TOOL_SOLVE_RATIO_H

#include "solve_parts.h"

/* How many times as long an iteration of the method takes with the preconditioner as with Jacobi's.
 * Fails as what it applies. */
tulle_status tool_ratio_find(tulle_ctx *ctx, tulle_method method, const tool_parts *parts,
                             double *ratio);

#endif
