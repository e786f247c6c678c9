/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs with one result for each row of a CSR matrix, on the CPU. */
#include "core/threads/sizes.h"
#include "operator/functions.h"
#include "operator/row.h"

/* Number of rows that a thread takes at a time. */
enum { FEW_ROWS = 4096 };

tulle_status tulle__cpu_diagonal(const tulle__place *place, const tulle__rows_job *job) {
    const int64_t rows = job->csr.rows;
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_ROWS, rows))
    for (int64_t i = 0; i < rows; i++) {
        tulle__number_put(job->type, job->to, i, tulle__row_diagonal(job, i));
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_diagonal_blocks(const tulle__place *place, const tulle__rows_job *job) {
    const int64_t rows = tulle__ceil_div(job->csr.rows, job->block) * job->block;
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_ROWS, rows))
    for (int64_t i = 0; i < rows; i++) tulle__fill_block_row(job, i);
    return TULLE_OK;
}

tulle_status tulle__cpu_residual(const tulle__place *place, const tulle__rows_job *job) {
    const int64_t rows = job->csr.rows;
#pragma omp parallel for schedule(dynamic, FEW_ROWS)                                               \
    num_threads(tulle__threads_for(place, TULLE__WORK_ROWS, rows))
    for (int64_t i = 0; i < rows; i++) {
        tulle__twofold sum = tulle__row_residual(job, i, 0, 1);
        tulle__twofold_add(&sum, tulle__number_at(job->type, job->b, i), 0);
        job->r[i] = sum.sum + sum.lost;
    }
    return TULLE_OK;
}
