/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on the CPU: level by level, a thread takes a whole task. */
#include "batch/cpu/factors.h"
#include "batch/cpu/product.h"
#include "batch/cpu/vectors.h"
#include "batch/functions.h"
#include "batch/shared.h"
#include "core/threads/sizes.h"

tulle_status tulle__batch_run_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                     const tulle__task *t) {
    switch (t->kind) {
        case TULLE__TASK_FACTOR:
            return tulle__batch_factor_by_one(alone, job, t);
        case TULLE__TASK_SOLVE:
            return tulle__batch_solve_by_one(alone, job, t);
        case TULLE__TASK_SPMM:
            return tulle__batch_product_by_one(alone, job, t);
        default:
            return tulle__batch_vectors_by_one(alone, job, t);
    }
}

tulle_status tulle__cpu_batch_stretch(const tulle__place *place, const tulle__batch_job *job,
                                      int begin, int end) {
    const tulle__place alone = {.device = place->device, .threads = 1, .ctx = place->ctx};
    double bytes = 0;
    for (int i = begin; i < end; i++) bytes += (double)job->task[i].units * job->task[i].unit_bytes;
    const int64_t numbers = (int64_t)(bytes / sizeof(double));
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, numbers);
    int failed = TULLE_OK;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(max : failed)
    for (int i = begin; i < end; i++) {
        const int status = tulle__batch_run_by_one(&alone, job, job->task + i);
        if (status > failed) failed = status;
    }
    return (tulle_status)failed;
}

tulle_status tulle__cpu_batch_grouped(const tulle__place *place, const tulle__batch_job *job) {
    for (int l = 0; l < job->levels; l++) {
        TULLE__TRY(tulle__cpu_batch_stretch(place, job, job->level[l], job->level[l + 1]));
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_batch_host_reads(tulle__device *device, const void *array, bool *reads) {
    (void)device;
    (void)array;
    *reads = true;
    return TULLE_OK;
}

tulle_status tulle__cpu_batch_captured(const tulle__place *place, bool *captured) {
    (void)place;
    *captured = false;
    return TULLE_OK;
}

#if TULLE__PUBLISHED
tulle_status tulle__cpu_batch_tasks(const tulle__place *place, const tulle__batch_job *job,
                                    tulle_batch_way way) {
    (void)way;
    return tulle__cpu_batch_grouped(place, job);
}
#endif

tulle_status tulle__cpu_batch_streams(const tulle__place *place, const tulle__batch_job *job) {
    return tulle__cpu_batch_grouped(place, job);
}
