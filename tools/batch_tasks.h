/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a matrix as so many tasks: Y := A X, and then R := Y'Y, one by one and as a batch. */
#ifndef TOOL_BATCH_TASKS_H
#define TOOL_BATCH_TASKS_H

#include "operand.h"
#include "tools/common/layout.h"
#include "tools/common/verify.h"

/* Ways to run them. */
typedef enum tool_batch_way {
    TOOL_ONE_BY_ONE,
    TOOL_GROUPED,
    TOOL_STREAMS,
    TOOL_TASKS,
    TOOL_SHARED,
    TOOL_BATCH_WAYS
} tool_batch_way;

enum { TOOL_BATCH_LACKS = 400 };

typedef struct tool_batch {
    tool_layout format;
    tulle_layout layout;
    int64_t tasks, vectors, repeat;
    uint64_t seed;
    bool check;
} tool_batch;

typedef struct tool_batch_result {
    tulle_mat_info info; /* of a copy */
    int64_t bytes;       /* that all tasks read and write at least */
    bool there[TOOL_BATCH_WAYS];
    double ms[TOOL_BATCH_WAYS];   /* of all tasks; 0: not timed */
    char lacks[TOOL_BATCH_LACKS]; /* why no published kernel takes the tasks; "": some do */
    int by_cpu;                   /* products and inner products of the last run that was shared */
    tool_error_found error;       /* the worst of all Y, of the last way */
} tool_batch_result;

tulle_status tool_batch_run(tulle_ctx *ctx, const tool_operand *A, const tool_batch *batch,
                            tool_batch_result *result);

#endif
