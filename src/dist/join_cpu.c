/* SPDX-License-Identifier: Apache-2.0 */
/* Joins rows of distributed matrices on the CPU. */
#include "core/threads/sizes.h"
#include "dist/functions.h"

static int threads_of(const tulle__place *place, const tulle__join_job *job) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, job->block.nnz + job->edge.nnz);
}

tulle_status tulle__cpu_dist_measure(const tulle__place *place, const tulle__join_job *job,
                                     int64_t *lengths) {
#pragma omp parallel for num_threads(threads_of(place, job)) schedule(static)
    for (int64_t k = 0; k < job->count; k++) lengths[k] = tulle__joined_length(job, k);
    return TULLE_OK;
}

tulle_status tulle__cpu_dist_join(const tulle__place *place, const tulle__join_job *job) {
#pragma omp parallel for num_threads(threads_of(place, job)) schedule(static)
    for (int64_t k = 0; k < job->count; k++) tulle__join_row(job, k, 0, 1);
    return TULLE_OK;
}
