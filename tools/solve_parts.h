/* SPDX-License-Identifier: Apache-2.0 */
/* A system is solved with these parts, in one type: the matrix in its format, and its
 * preconditioner. */
#ifndef TOOL_SOLVE_PARTS_H
#define TOOL_SOLVE_PARTS_H

#include "precond.h"
#include "tools/common/layout.h"

typedef struct tool_parts {
    tulle_mat *A;
    tulle_linop *L; /* A, or what stands for it */
    bool lent;      /* L is not the parts' own */
    tool_preconditioner precond;
    tulle_mat_info info;           /* of A */
    double convert_ms, precond_ms; /* that these took */
} tool_parts;

/* All owned by what is made, and freed where that fails. instead: an operator that is A to
 * rounding; NULL: A itself. Otherwise as tool_layout_apply and tool_precond_make. */
tulle_status tool_parts_make(tulle_ctx *ctx, tulle_mat *csr, tulle_linop *instead,
                             tool_layout format, tool_precond precond, double shift,
                             tool_parts *parts);
void tool_parts_free(tool_parts *parts);

#endif
