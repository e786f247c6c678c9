/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a row of a CSR matrix, the same lines on every device. Compiles as C17 and as
 * CUDA C++. */
#ifndef TULLE_OPERATOR_ROW_H
#define TULLE_OPERATOR_ROW_H

#include <math.h>

#include "format/slots.h"
#include "operator/jobs.h"

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

/* The row of a block that belongs to this row of the matrix. */
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

/* A sum in twice the precision, kept as two numbers of which the second is what the first lost. */
typedef struct tulle__twofold {
    double sum, lost;
} tulle__twofold;

/* D. E. Knuth's sum without branches ("The Art of Computer Programming", volume 2, 4.2.2). */
SLOTS_FUNCTION void tulle__twofold_add(tulle__twofold *to, double number, double lost) {
    const double sum = to->sum + number, back = sum - to->sum;
    to->lost += (to->sum - (sum - back)) + (number - back) + lost;
    to->sum = sum;
}

SLOTS_FUNCTION void tulle__twofold_add_product(tulle__twofold *to, double a, double b) {
    const double product = a * b;
    tulle__twofold_add(to, product, fma(a, b, -product));
}

/* Entries first, first + step, ... of b - A x in a row, without b. T. Ogita, S. M. Rump and S.
 * Oishi, "Accurate sum and dot product" (2005). */
SLOTS_FUNCTION tulle__twofold tulle__row_residual(const tulle__rows_job *job, int64_t row,
                                                  int64_t first, int64_t step) {
    const int64_t end = tulle__offset_at(&job->csr, row + 1);
    tulle__twofold sum = {0, 0};
    for (int64_t k = tulle__offset_at(&job->csr, row) + first; k < end; k += step) {
        const double x = tulle__number_at(job->type, job->x, tulle__col_at(&job->csr, k));
        tulle__twofold_add_product(&sum, -tulle__number_at(job->type, job->values, k), x);
    }
    return sum;
}

#endif
