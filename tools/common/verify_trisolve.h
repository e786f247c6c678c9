/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a triangular system: what is left of alpha B - op(T) X, in long double. */
#ifndef TOOL_VERIFY_TRISOLVE_H
#define TOOL_VERIFY_TRISOLVE_H

#include "tools/common/verify.h"

/* op(T) X = alpha B; B and X on the host, columns one after another, of the type. */
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

/* The worst unknown, in units of the bound of tulle/trisolve.h; want: what the others make of it.
 * Where something is not finite, only an unknown is wrong that is so by itself. Fails with
 * TULLE_CANCELLED alone. */
tulle_status tool_verify_trisolve(const tool_trisolve_claim *claim, tool_error_found *found);

#endif
