/* SPDX-License-Identifier: Apache-2.0 */
/* Computes, checks, judges, writes and times the factors of one matrix. */
#ifndef TOOL_FACTOR_TASK_H
#define TOOL_FACTOR_TASK_H

#include "factor_order.h"
#include "factor_quality.h"
#include "operand.h"
#include "tools/common/layout.h"
#include "tools/common/timing.h"
#include "tools/common/verify_rows.h"
#include "written.h"

/* Settings of a factorisation. */
typedef struct tool_factor_task {
    tulle_factor_options options; /* options; order and scales are not set */
    tool_layout format;           /* format of A */
    tool_order order;             /* kind of the order P */
    bool dominant, check;
    const char *kernel;              /* specification of the kernel; NULL: it is chosen */
    const char *output_l, *output_u; /* files for L and U; NULL: none */
    uint64_t seed;
    int64_t repeat; /* number of timed calls */
} tool_factor_task;

/* Results of a factorisation. */
typedef struct tool_factor_result {
    tulle_mat_info info;         /* properties of the matrix in its format */
    double convert_ms, order_ms; /* times of converting and of ordering, in milliseconds */
    tulle_factor_info factors;
    tulle_factor_report pivots;
    tool_entry_error error;      /* error, if the factors were checked */
    tool_factor_quality quality; /* quality, if the factors were checked */
    bool half_read;              /* true: L L^T was made of a matrix that is not symmetric */
    tool_written l, u;           /* files of L and U, if they were written */
    double first_ms;             /* time of the first call without the analysis, in milliseconds */
    tool_timing update, solve;   /* timings of calls with new values, and of solutions with one
                                    vector; zeros: not timed */
} tool_factor_result;

tulle_status tool_factor(tulle_ctx *ctx, const tool_operand *A, const tool_factor_task *task,
                         tool_factor_result *result);

#endif
