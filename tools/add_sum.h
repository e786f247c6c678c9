/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one sum of two sparse matrices, C = alpha op(A) + beta op(B). */
#ifndef TOOL_ADD_SUM_H
#define TOOL_ADD_SUM_H

#include "sparse.h"
#include "trials/add.h"

/* Says which sum to compute. */
typedef struct tool_add {
    tool_sparse sparse;
    trial_add_options options;
} tool_add;

tulle_status tool_run_add(tulle_ctx *ctx, tool_add *p, tulle_add_report *report,
                          tool_sparse_result *result);

#endif
