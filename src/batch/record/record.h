/* SPDX-License-Identifier: Apache-2.0 */
/* Recording tasks, and checking them. */
#ifndef TULLE_BATCH_RECORD_RECORD_H
#define TULLE_BATCH_RECORD_RECORD_H

#include "batch/batch.h"

/* A task of a public function, before it is recorded, and how that calls two of its operands. */
typedef struct tulle__request {
    const char *function;
    tulle_batch *batch;
    tulle__recorded record;
    const char *a_name, *y_name;
} tulle__request;

/* Fails where its operands do not fit together. */
tulle_status tulle__batch_check(const char *function, tulle_batch *batch,
                                const tulle__recorded *record);

/* Checks a task and puts it behind the others. *task: its number; NULL is fine. */
tulle_status tulle__batch_record(const char *function, tulle_batch *batch,
                                 const tulle__recorded *record, int *task);

/* The part of tulle__batch_check that is for tasks on factors, or with a triangle of a matrix. */
tulle_status tulle__batch_check_factors(const tulle__request *r);

/* The part that is for tasks on numbers or columns by themselves. */
tulle_status tulle__batch_check_vectors(const tulle__request *r);

/* An operand has so many columns at least, and as many as an int counts at most. */
static inline tulle_status tulle__batch_check_columns(const tulle__request *r, const char *name,
                                                      const tulle_vec *X, int64_t least) {
    if (X->cols >= least && X->cols <= INT32_MAX) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, r->function, name, -1, "%s has %lld columns", name,
                       (long long)X->cols);
}

/* The scalars that tasks of a kind have. */
static inline bool tulle__task_has_beta(tulle__task_kind kind) {
    return kind == TULLE__TASK_AXPY || kind == TULLE__TASK_DOT || kind == TULLE__TASK_SPMM;
}
static inline bool tulle__task_has_alpha(tulle__task_kind kind) {
    return tulle__task_has_beta(kind) || kind == TULLE__TASK_SOLVE || kind == TULLE__TASK_SCALE;
}

#endif
