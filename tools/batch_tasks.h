/* SPDX-License-Identifier: Apache-2.0 */
/* Runs tasks on copies of a matrix, Y := A X and then R := Y^T Y, one by one and as a batch. */
#ifndef TOOL_BATCH_TASKS_H
#define TOOL_BATCH_TASKS_H

#include "operand.h"
#include "tools/common/layout.h"
#include "tools/common/verify.h"

/* Ways to run the tasks. */
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
    tulle_mat_info info;          /* properties of a copy of the matrix */
    int64_t bytes;                /* least number of bytes that all tasks together read and write */
    bool there[TOOL_BATCH_WAYS];  /* true for a way that this place and build have */
    double ms[TOOL_BATCH_WAYS];   /* time of all tasks, in milliseconds; 0: not timed */
    char lacks[TOOL_BATCH_LACKS]; /* reason why no published kernel takes the tasks; "": some do */
    int by_cpu;                   /* number of tasks that CPU threads took in the last shared run */
    tool_error_found error;       /* worst error of all Y, by the last way */
} tool_batch_result;

tulle_status tool_batch_run(tulle_ctx *ctx, const tool_operand *A, const tool_batch *batch,
                            tool_batch_result *result);

#endif
