/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_BATCH_RECORD_RECORD_H
#define TULLE_BATCH_RECORD_RECORD_H

#include "batch/batch.h"

/* A task of a public function, before it is recorded. */
typedef struct tulle__request {
    const char *function;
    tulle_batch *batch;
    tulle__recorded record;
    const char *a_name, *y_name;
    int *task;
} tulle__request;

/* Whether its operands fit together. */
tulle_status tulle__batch_check(const tulle__request *r);

/* Checks it and puts it behind the others. */
tulle_status tulle__batch_record(const tulle__request *r);

/* Whether a task on factors, or with a triangle of a matrix, can be. */
tulle_status tulle__batch_check_factors(const tulle__request *r);

/* Whether one on numbers or columns by themselves can be. */
tulle_status tulle__batch_check_vectors(const tulle__request *r);

/* Whether a task has scalars. */
static inline bool tulle__task_has_beta(tulle__task_kind kind) {
    return kind == TULLE__TASK_AXPY || kind == TULLE__TASK_DOT || kind == TULLE__TASK_SPMM;
}
static inline bool tulle__task_has_alpha(tulle__task_kind kind) {
    return tulle__task_has_beta(kind) || kind == TULLE__TASK_SOLVE || kind == TULLE__TASK_SCALE;
}

#endif
