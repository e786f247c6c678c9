/* SPDX-License-Identifier: Apache-2.0 */
/* One product of two sparse matrices, C = alpha op(A) op(B) + beta D, on a mask or not, or of
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
    const char *kernel; /* specification, or NULL */
    const char *add;    /* names D; NULL: nothing is added */
    const char *on;     /* names the mask; NULL: there is none */
    bool galerkin;
    int64_t cap;                /* of the context's memory; 0: none */
    bool bounds_first;          /* what C will take is printed at once */
    tulle_spgemm_bounds bounds; /* as known before C was made */
    tulle_ctx *ctx;             /* that of the call, while it runs */
    tool_operand D;             /* with a matrix where something is added */
    tool_operand mask;          /* with a matrix where there is one */
} tool_spgemm;

tulle_status tool_run_spgemm(tulle_ctx *ctx, tool_spgemm *p, tulle_spgemm_report *report,
                             tool_sparse_result *result);

#endif
