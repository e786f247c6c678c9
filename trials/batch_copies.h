/* SPDX-License-Identifier: Apache-2.0 */
/* Y := A X and then R := Y^T Y, many times, with copies of a matrix and multivectors of their own,
 * as one trial of so many tasks (trial_given.count). The benchmark, whose small matrices are
 * generated, does not list the trial. */
#ifndef TRIAL_BATCH_COPIES_H
#define TRIAL_BATCH_COPIES_H

#include "trials/operation.h"

/* Details: the tasks call by call, and the ways of a batch. An open problem has the operands of
 * all. */
enum {
    TRIAL_COPIES_ONE_BY_ONE,
    TRIAL_COPIES_GROUPED,
    TRIAL_COPIES_STREAMS,
    TRIAL_COPIES_TASKS,
    TRIAL_COPIES_SHARED, /* all products and then all inner products, as tasks that wait are not
                            shared */
    TRIAL_COPIES_WAYS
};

extern const trial_operation trial_operation_batch_copies;

/* Returns the least number of bytes that all tasks read and write, with copies of this matrix. */
int64_t trial_copies_bytes(const tulle_mat_info *info, int64_t tasks, int64_t vectors);

/* Returns the number of tasks that CPU threads took in the last shared run. */
int trial_copies_by_cpu(const trial_task *task);

#endif
