/* SPDX-License-Identifier: Apache-2.0 */
/* The functions with batches that every back end has; see core/place.h. A CPU's stand in
 * cpu/tasks.c, and a GPU's in the file of gpu/ that is named before them. */
#ifndef TULLE_BATCH_FUNCTIONS_H
#define TULLE_BATCH_FUNCTIONS_H

#include "batch/task.h"
#include "core/place.h"
#include "core/published.h"
#include "tulle/batch.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__BATCH_FUNCTIONS(F)                                                                  \
    /* grouped.cu */                                                                               \
    F(batch_grouped, (const tulle__place *place, const tulle__batch_job *job))                     \
    /* streams.cu */                                                                               \
    F(batch_streams, (const tulle__place *place, const tulle__batch_job *job))                     \
    /* published/tasks.cu: tasks that published kernels take (batch/supported.h), in one of the    \
     * ways that run these */                                                                      \
    TULLE__IF_PUBLISHED(F(batch_tasks, (const tulle__place *place, const tulle__batch_job *job,    \
                                        tulle_batch_way way)))                                     \
    /* grouped.cu: the tasks from `begin` to before `end`, which wait for none */                  \
    F(batch_stretch, (const tulle__place *place, const tulle__batch_job *job, int begin, int end)) \
    /* reach.cu: *reads: the host's threads reach an array where it is, as kernels do */           \
    F(batch_host_reads, (tulle__device * device, const void *array, bool *reads))                  \
    /* reach.cu: *captured: work that is now put into the place's stream goes into a graph */      \
    F(batch_captured, (const tulle__place *place, bool *captured))

typedef struct tulle__batch_functions {
    TULLE__BATCH_FUNCTIONS(TULLE__MEMBER)
} tulle__batch_functions;

TULLE__BATCH_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
