/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the solution of a triangular system by its residual alpha B - op(T) X, in long double. */
#ifndef TOOL_VERIFY_TRISOLVE_H
#define TOOL_VERIFY_TRISOLVE_H

#include "tools/common/verify.h"

/* Claims that op(T) X = alpha B; B and X are on the host, columns one after another, of the
 * type. */
typedef struct tool_trisolve_claim {
    const tool_csr *A;
    tulle_part part;
    tulle_diag diag;
    tulle_trans op;
    tulle_type type;
    int64_t vectors;
    double alpha;
    const void *b, *x;
} tool_trisolve_claim;

/* Finds the worst unknown, in units of the bound of tulle/trisolve.h; `want` is the value that
 * follows from the other unknowns. Where numbers are not finite, only an unknown is wrong that is
 * not finite though the others are. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_trisolve(const tool_trisolve_claim *claim, tool_error_found *found);

#endif
