/* SPDX-License-Identifier: Apache-2.0 */
/* One product of two sparse matrices, C = alpha op(A) op(B): computed, checked, written and timed.
 */
#ifndef TOOL_SPGEMM_PRODUCT_H
#define TOOL_SPGEMM_PRODUCT_H

#include "tools/common/verify_spgemm.h"
#include "tulle/spgemm.h"
#include "written.h"

/* A matrix of the product, and its name on the command line. */
typedef struct tool_spgemm_operand {
    const char *name;
    tulle_trans op;
    tulle_mat *matrix; /* borrowed */
    tulle_mat_info info;
    tool_source source;
} tool_spgemm_operand;

/* What to compute. */
typedef struct tool_spgemm {
    tool_spgemm_operand A, B; /* of A A, B's matrix is A's */
    double alpha;
    const char *kernel; /* specification, or NULL */
    tulle_spgemm_options options;
    bool check;
    int64_t repeat;     /* timed calls; 0: none */
    const char *output; /* file for C, or NULL */
} tool_spgemm;

/* What came out. */
typedef struct tool_spgemm_result {
    tulle_mat_info info;        /* of C */
    tulle_spgemm_report report; /* of a call: the first, or the one after those that are timed */
    double first_ms;            /* of the first call */
    tool_spgemm_error error;    /* where it was checked */
    tool_written written;       /* where it was */
    double ms, ms_q10, ms_q90;  /* median and deciles of the calls; 0: not timed */
} tool_spgemm_result;

tulle_status tool_run_spgemm(tulle_ctx *ctx, const tool_spgemm *product,
                             tool_spgemm_result *result);

/* Pattern and values. */
int64_t tool_spgemm_bytes(const tulle_mat_info *info);

#endif
