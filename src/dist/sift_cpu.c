/* SPDX-License-Identifier: Apache-2.0 */
/* Splits rows of a local matrix on the CPU. */
#include "core/threads/sizes.h"
#include "dist/functions.h"

static int threads_of(const tulle__place *place, const tulle__sift_job *job) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, job->local.nnz);
}

tulle_status tulle__cpu_dist_count_others(const tulle__place *place, const tulle__sift_job *job,
                                          int64_t counted[2]) {
    (void)place;
    counted[0] = counted[1] = 0;
    for (int64_t i = 0; i < job->rows; i++) {
        const int64_t end = tulle__sift_offset(job, i + 1), before = counted[1];
        job->rows_before[i] = counted[0];
        job->entries_before[i] = before;
        for (int64_t k = tulle__sift_offset(job, i); k < end; k++) {
            const int64_t other = tulle__other_column(job, tulle__sift_column(job, k));
            if (other < 0) continue;
            job->used[other] = 1;
            counted[1]++;
        }
        counted[0] += counted[1] > before;
    }
    job->rows_before[job->rows] = counted[0];
    job->entries_before[job->rows] = counted[1];
    return TULLE_OK;
}

tulle_status tulle__cpu_dist_sift(const tulle__place *place, const tulle__sift_job *job) {
#pragma omp parallel for num_threads(threads_of(place, job)) schedule(static)
    for (int64_t i = 0; i <= job->rows; i++) tulle__sift_row(job, i, 0, 1);
    return TULLE_OK;
}
