/* SPDX-License-Identifier: Apache-2.0 */
/* From sorted pairs of points to entries, and what comes to each, on the CPU. */
#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

/* Pairs that a thread takes at a time. */
enum { FEW_PAIRS = 4096 };

/* First 1 for each pair of the rows with which an entry begins, then how many have begun before. */
tulle_status tulle__cpu_count_entries(const tulle__place *place, const tulle__entries_job *job) {
#pragma omp parallel for schedule(dynamic, FEW_PAIRS)                                              \
    num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->rows))
    for (int64_t row = 0; row < job->rows; row++) {
        for (int64_t t = job->starts[row]; t < job->starts[row + 1]; t++) {
            job->entry_of[t] = t == job->starts[row] || job->cols_of[t] != job->cols_of[t - 1];
        }
    }
    int64_t entries = 0;
    for (int64_t t = 0; t < job->sorted; t++) {
        const int64_t begins = job->entry_of[t];
        job->entry_of[t] = entries;
        entries += begins;
    }
    job->entry_of[job->sorted] = entries;
    *job->host_entries = entries;
    return TULLE_OK;
}

tulle_status tulle__cpu_write_entries(const tulle__place *place, const tulle__entries_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->sorted))
    for (int64_t t = 0; t < job->sorted; t++) tulle__write_entry(job, t);
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->rows))
    for (int64_t row = 0; row <= job->rows; row++) tulle__write_offset(job, row);
    return TULLE_OK;
}

tulle_status tulle__cpu_write_places(const tulle__place *place, const tulle__places_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->sorted))
    for (int64_t t = 0; t < job->sorted; t++) tulle__write_place(job, t);
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->rows))
    for (int64_t row = 0; row <= job->rows; row++) {
        tulle__put(job->ends, job->wide ? 8 : 4, row, job->starts[row]);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_count_masked(const tulle__place *place, const tulle__masked_job *job) {
    const int64_t entries = job->csr.nnz;
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, entries))
    for (int64_t k = 0; k < entries; k++) job->count_before[k] = tulle__mask_of(job, k) != 0;
    int64_t count = 0;
    for (int64_t k = 0; k < entries; k++) {
        const int64_t one = job->count_before[k];
        job->count_before[k] = count;
        count += one;
    }
    job->count_before[entries] = count;
    *job->host_count = count;
    return TULLE_OK;
}

tulle_status tulle__cpu_list_masked(const tulle__place *place, const tulle__masked_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->csr.nnz))
    for (int64_t k = 0; k < job->csr.nnz; k++) tulle__list_masked_entry(job, k);
    return TULLE_OK;
}
