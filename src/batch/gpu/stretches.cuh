/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of a stretch of tasks that are alike and wait for none of the same, each by kernels of
 * its family. */
#ifndef TULLE_BATCH_GPU_STRETCHES_CUH
#define TULLE_BATCH_GPU_STRETCHES_CUH

#include "batch/task.h"
#include "gpu/gpu.cuh"

/* Tasks from `begin` to `end`, by their places. */
typedef struct tulle__stretch {
    int begin, end;
} tulle__stretch;

TULLE_BEGIN

#define TULLE__STRETCH(family)                                                                     \
    tulle_status GPU_SYMBOL(batch_##family)(const tulle__place *place,                             \
                                            const tulle__batch_job *job, tulle__stretch s);
/* any.cu: tasks of all kinds but on factors, which need not be alike, and, of a queue, may wait for
 * one another */
TULLE__STRETCH(any)
TULLE__STRETCH(queue)
/* dots.cu */
TULLE__STRETCH(dots)
/* products.cu */
TULLE__STRETCH(products)
/* factors.cu, listed.cu, solves.cu */
TULLE__STRETCH(factors)
TULLE__STRETCH(listed)
TULLE__STRETCH(solves)
#undef TULLE__STRETCH

TULLE_END

/* Launches a stretch of tasks by the kernels of the first task's family. */
static inline tulle_status tulle__launch_stretch(const tulle__place *place,
                                                 const tulle__batch_job *job, tulle__stretch s) {
    switch (job->host_task[s.begin].family) {
        case TULLE__FAMILY_DOTS:
            return GPU_SYMBOL(batch_dots)(place, job, s);
        case TULLE__FAMILY_PRODUCTS:
            return GPU_SYMBOL(batch_products)(place, job, s);
        case TULLE__FAMILY_FACTORS:
            return GPU_SYMBOL(batch_factors)(place, job, s);
        case TULLE__FAMILY_LISTED:
            return GPU_SYMBOL(batch_listed)(place, job, s);
        case TULLE__FAMILY_SOLVES:
            return GPU_SYMBOL(batch_solves)(place, job, s);
        default:
            return GPU_SYMBOL(batch_any)(place, job, s);
    }
}

/* Returns the end of the tasks that are like the one at `begin`; at most `end`. */
static inline int tulle__end_of_alike(const tulle__batch_job *job, int begin, int end) {
    int next = begin + 1;
    while (next < end && tulle__tasks_alike(job->host_task + begin, job->host_task + next)) next++;
    return next;
}

/* Items of a stretch, which is how many blocks of threads a launch has. */
static inline int64_t tulle__items_of(const tulle__batch_job *job, tulle__stretch s) {
    return job->host_item[s.end] - job->host_item[s.begin];
}

#endif
