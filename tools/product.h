/* SPDX-License-Identifier: Apache-2.0 */
/* One product y = alpha op(A) x + beta y, of vectors or of blocks of them: set up, computed,
 * checked and timed. */
#ifndef TOOL_PRODUCT_H
#define TOOL_PRODUCT_H

#include "tools/common/explain.h"
#include "tools/common/layout.h"
#include "tools/common/verify.h"
#include "tulle/advanced.h"
#include "tulle/tulle.h"

/* Says which product to compute, and how. */
typedef struct tool_product {
    tulle_trans op;
    int64_t vectors; /* columns of X and Y, for tulle_spmm; 0: vectors, for tulle_spmv */
    tulle_layout x_layout, y_layout; /* of X and Y */
    double alpha, beta;
    const char *kernel; /* specification, or NULL: the rule picks */
    tool_layout layout;
    bool plan;
    int64_t optimize; /* expected calls to prepare for; 0: not asked for */
    bool explain, check;
    const char *x, *y; /* "ones", "random" or a file */
    uint64_t seed;
    int64_t repeat;     /* timed calls; 0: none */
    const char *output; /* file for y, or NULL */
} tool_product;

/* Holds what came out of the product. */
typedef struct tool_product_result {
    tulle_choice choice;
    tulle_mat_info info;             /* of the matrix in its layout */
    double convert_ms;               /* that the layout took; 0 without one */
    tool_explanation explanation;    /* where it was asked for; who made the result frees it */
    tool_error_found error;          /* where it was checked */
    double plan_ms;                  /* that building the plan took; 0 without one */
    tulle_optimize_report optimized; /* where that was asked for */
    double first_ms;                 /* of the first call */
    double ms, ms_q10, ms_q90;       /* median and deciles of the calls; 0: not timed */
} tool_product_result;

/* After a failure the result has nothing to free. */
tulle_status tool_run_product(tulle_ctx *ctx, tulle_mat *A, const tool_product *product,
                              tool_product_result *result);

#endif
