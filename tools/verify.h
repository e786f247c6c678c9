/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a product against the naive definition in long double. */
#ifndef TOOL_VERIFY_H
#define TOOL_VERIFY_H

#include "csr.h"

/* The worst entry of a result, in units of the error bound of tulle/spmv.h. */
typedef struct tool_error_found {
    double units;     /* at most 1: the result is right */
    int64_t row;      /* where; -1 for an empty result */
    double got, want; /* there */
} tool_error_found;

/* y = alpha op(A) x + beta y0, all vectors on the host and of A's type; y0 may be NULL when beta
 * is 0. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_spmv(const tool_csr *A, tulle_trans op, double alpha, const void *x,
                              double beta, const void *y0, const void *y, tool_error_found *found);

#endif
