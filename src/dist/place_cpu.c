/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of rows that came: which other ones there are, and their numbers in a local matrix, on
 * the CPU. */
#include "core/threads/sizes.h"
#include "dist/functions.h"
#include "dist/numbers.h"

tulle_status tulle__cpu_dist_place(const tulle__place *place, const tulle__place_job *job) {
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, job->count);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < job->count; k++) tulle__place_column(job, k);
    return TULLE_OK;
}

tulle_status tulle__cpu_dist_list_others(const tulle__place *place, const tulle__others_job *job,
                                         int64_t *found) {
    *found = 0;
    for (int64_t k = 0; k < job->count; k++) {
        const int64_t column = job->columns[k];
        if (column < job->begin || column >= job->end) job->others[(*found)++] = column;
    }
    return tulle__numbers_sort(place->ctx, job->others, found);
}
