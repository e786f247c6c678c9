/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_BATCH_RECORD_H
#define TULLE_BATCH_RECORD_H

#include "batch/batch.h"

/* A task of a public function, before it is recorded. */
typedef struct tulle__request {
    const char *function;
    tulle_batch *batch;
    tulle__recorded record;
    const char *a_name, *y_name;
    int *task;
} tulle__request;

/* Checks it and puts it behind the others. */
tulle_status tulle__batch_record(const tulle__request *r);

/* Whether a task on factors can be. */
tulle_status tulle__batch_check_factors(const tulle__request *r);

#endif
