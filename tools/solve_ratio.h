/* SPDX-License-Identifier: Apache-2.0 */
/* A model of rows, entries and levels says how long an iteration takes with incomplete factors,
 * beside one with Jacobi's preconditioner. No time is measured, so the choice is the same on a busy
 * machine. */
#ifndef TOOL_SOLVE_RATIO_H
#define TOOL_SOLVE_RATIO_H

#include "solve_parts.h"

/* Finds how many times as long an iteration of the method takes with the factors of the parts as
 * with Jacobi's preconditioner on the context's place. */
tulle_status tool_ratio_find(tulle_ctx *ctx, tulle_method method, const tool_parts *parts,
                             double *ratio);

#endif
