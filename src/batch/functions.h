/* SPDX-License-Identifier: Apache-2.0 */
/* What every back end does with batches; see core/place.h. */
#ifndef TULLE_BATCH_FUNCTIONS_H
#define TULLE_BATCH_FUNCTIONS_H

#include "batch/task.h"
#include "core/place.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__BATCH_FUNCTIONS(F)                                                                  \
    /* grouped.cu, tasks_cpu.c */                                                                  \
    F(batch_grouped, (const tulle__place *place, const tulle__batch_job *job))                     \
    /* streams.cu, tasks_cpu.c */                                                                  \
    F(batch_streams, (const tulle__place *place, const tulle__batch_job *job))                     \
    /* tasks.cu, tasks_cpu.c */                                                                    \
    F(batch_tasks, (const tulle__place *place, const tulle__batch_job *job))

typedef struct tulle__batch_functions {
    TULLE__BATCH_FUNCTIONS(TULLE__MEMBER)
} tulle__batch_functions;

TULLE__BATCH_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
