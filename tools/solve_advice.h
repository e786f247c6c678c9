/* SPDX-License-Identifier: Apache-2.0 */
/* Why a solution got no nearer, as far as A, b and x say. */
#ifndef TOOL_SOLVE_ADVICE_H
#define TOOL_SOLVE_ADVICE_H

#include "not_finite.h"
#include "tools/common/csr.h"

typedef struct tool_causes {
    bool found; /* whether somebody has looked */
    bool rows_add_to_0, columns_add_to_0, symmetric;
    double reach; /* about what rounding x to its type leaves of b - op(A) x: its norm */
    tool_not_finite in_A, in_b; /* where Inf or NaN came up */
} tool_causes;

/* x on the host, of A's type. */
void tool_causes_find(const tool_csr *A, tulle_trans op, const void *x, tool_causes *causes);

#endif
