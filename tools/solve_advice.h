/* SPDX-License-Identifier: Apache-2.0 */
/* Finds why a solution got no nearer, as far as A, b and x say. */
#ifndef TOOL_SOLVE_ADVICE_H
#define TOOL_SOLVE_ADVICE_H

#include "not_finite.h"
#include "tools/common/csr.h"

typedef struct tool_causes {
    bool found; /* true when the causes were looked for */
    bool rows_add_to_0,
        columns_add_to_0;       /* true when the entries of each row or column add up to 0 */
    bool symmetric;             /* true when A is symmetric */
    double reach;               /* norm of b - op(A) x that rounding x to its type leaves, about */
    tool_not_finite in_A, in_b; /* first Inf or NaN in A and in b */
} tool_causes;

/* Fills the causes but for in_A, in_b and symmetric. x: solution in host memory, of A's type. */
void tool_causes_find(const tool_csr *A, tulle_trans op, const void *x, tool_causes *causes);

#endif
