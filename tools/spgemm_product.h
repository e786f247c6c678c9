/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one product of two sparse matrices, C = alpha op(A) op(B) + beta D, on a mask or not, or of
 * three, B' A B in place of op(A) op(B). */
#ifndef TOOL_SPGEMM_PRODUCT_H
#define TOOL_SPGEMM_PRODUCT_H

#include "sparse.h"
#include "trials/spgemm.h"
#include "tulle/spgemm.h"

/* Says which product to compute. */
typedef struct tool_spgemm {
    tool_sparse sparse;
    trial_spgemm_options options;
    const char *kernel; /* specification of the kernel; NULL: it is chosen */
    const char *add;    /* name of D; NULL: nothing is added */
    const char *on;     /* name of the mask; NULL: there is none */
    bool galerkin;
    int64_t cap;                /* cap of the context's memory, in bytes; 0: none */
    bool bounds_first;          /* true: the bounds are printed before C is made */
    tulle_spgemm_bounds bounds; /* forecast, from before C was made */
    tulle_ctx *ctx;             /* context of the call, while the call runs */
    tool_operand D;             /* matrix that is added; it has no matrix without `add` */
    tool_operand mask;          /* mask; it has no matrix without `on` */
} tool_spgemm;

tulle_status tool_run_spgemm(tulle_ctx *ctx, tool_spgemm *p, tulle_spgemm_report *report,
                             tool_sparse_result *result);

#endif
