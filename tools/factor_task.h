/* SPDX-License-Identifier: Apache-2.0 */
/* The factors of one matrix: computed, checked, judged, written and timed. */
#ifndef TOOL_FACTOR_TASK_H
#define TOOL_FACTOR_TASK_H

#include "factor_order.h"
#include "factor_quality.h"
#include "operand.h"
#include "tools/common/layout.h"
#include "tools/common/timing.h"
#include "tools/common/verify_rows.h"
#include "written.h"

/* Says what to factor, and how. */
typedef struct tool_factor_task {
    tulle_factor_options options; /* without order and scales */
    tool_layout format;           /* of A */
    tool_order order;             /* P */
    bool dominant, check;
    const char *kernel;              /* specification, or NULL */
    const char *output_l, *output_u; /* files, or NULL */
    uint64_t seed;
    int64_t repeat; /* timed calls; 0: none */
} tool_factor_task;

/* Holds what came out of the factorization. */
typedef struct tool_factor_result {
    tulle_mat_info info;         /* of the matrix in its format */
    double convert_ms, order_ms; /* that its format and its order took */
    tulle_factor_info factors;
    tulle_factor_report pivots;
    tool_entry_error error;      /* where it was checked */
    tool_factor_quality quality; /* where it was checked */
    bool half_read;              /* L L' of a matrix that is not symmetric */
    tool_written l, u;           /* where they were */
    double first_ms;             /* the first call, less the analysis */
    tool_timing update, solve;   /* of calls with new values, and with one vector; or zeros */
} tool_factor_result;

tulle_status tool_factor(tulle_ctx *ctx, const tool_operand *A, const tool_factor_task *task,
                         tool_factor_result *result);

#endif
