/* SPDX-License-Identifier: Apache-2.0 */
/* Results for one row of a CSR matrix, with the same code on every device. Compiles as C17 and as
 * CUDA C++. */
#ifndef TULLE_OPERATOR_ROW_H
#define TULLE_OPERATOR_ROW_H

#include <math.h>

#include "format/slots.h"
#include "operator/jobs.h"
#include "vector/twofold.h"

SLOTS_FUNCTION double tulle__number_at(tulle_type type, const void *numbers, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

SLOTS_FUNCTION void tulle__number_put(tulle_type type, void *numbers, int64_t i, double number) {
    if (type == TULLE_F32) {
        ((float *)numbers)[i] = (float)number;
    } else {
        ((double *)numbers)[i] = number;
    }
}

SLOTS_FUNCTION double tulle__row_diagonal(const tulle__rows_job *job, int64_t row) {
    const int64_t end = tulle__offset_at(&job->csr, row + 1);
    double sum = 0;
    for (int64_t k = tulle__offset_at(&job->csr, row); k < end; k++) {
        if (tulle__col_at(&job->csr, k) == row) sum += tulle__number_at(job->type, job->values, k);
    }
    return sum;
}

/* Fills the row of a diagonal block that belongs to this row of the matrix. */
SLOTS_FUNCTION void tulle__fill_block_row(const tulle__rows_job *job, int64_t row) {
    const int64_t block = row / job->block, first = block * job->block;
    const int64_t to = (first + row % job->block) * job->block;
    for (int c = 0; c < job->block; c++) {
        tulle__number_put(job->type, job->to, to + c, row >= job->csr.rows && first + c == row);
    }
    if (row >= job->csr.rows) return;
    const int64_t end = tulle__offset_at(&job->csr, row + 1);
    for (int64_t k = tulle__offset_at(&job->csr, row); k < end; k++) {
        const int64_t c = tulle__col_at(&job->csr, k) - first;
        if (c < 0 || c >= job->block) continue;
        const double sum = tulle__number_at(job->type, job->to, to + c) +
                           tulle__number_at(job->type, job->values, k);
        tulle__number_put(job->type, job->to, to + c, sum);
    }
}

/* Returns the sum over entries first, first + step, ... of the row in b - alpha A x, without b. */
SLOTS_FUNCTION tulle__twofold tulle__row_residual(const tulle__rows_job *job, int64_t row,
                                                  int64_t first, int64_t step) {
    const int64_t end = tulle__offset_at(&job->csr, row + 1);
    tulle__twofold sum = {0, 0};
    for (int64_t k = tulle__offset_at(&job->csr, row) + first; k < end; k += step) {
        const double x = tulle__number_at(job->type, job->x, tulle__col_at(&job->csr, k));
        tulle__twofold_add_product(&sum, -job->alpha * tulle__number_at(job->type, job->values, k),
                                   x);
    }
    return sum;
}

#endif
