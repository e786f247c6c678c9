/* SPDX-License-Identifier: Apache-2.0 */
/* CSC of A is CSR of A^T: a product with the one is a product with the other, transposed. */
#ifndef TULLE_SPMV_CSC_H
#define TULLE_SPMV_CSC_H

#include "spmv/spmv.h"

/* The shape that a CSR kernel is given for a CSC matrix; it points to *stats, which is filled
 * here. Only the mean of the columns' lengths is known; they are taken to be equal. */
static inline tulle__spmv_shape tulle__csc_as_csr(const tulle__spmv_shape *csc,
                                                  tulle__stats *stats) {
    *stats = *csc->stats;
    stats->mean_row = csc->cols > 0 ? (double)csc->nnz / (double)csc->cols : 0;
    stats->sd_row = 0;
    stats->max_row = (int64_t)stats->mean_row + 1;
    tulle__spmv_shape csr = *csc;
    csr.rows = csc->cols;
    csr.cols = csc->rows;
    csr.format = TULLE_CSR;
    csr.trans = csc->trans == TULLE_N ? TULLE_T : TULLE_N;
    csr.stats = stats;
    return csr;
}

/* The call's task with that shape. */
static inline tulle__spmv_task tulle__csc_task(const tulle__spmv_task *csc,
                                               const tulle__spmv_shape *csr) {
    tulle__spmv_task task = *csc;
    task.shape = *csr;
    task.cols_of = csc->rows_of;
    task.rows_of = NULL;
    return task;
}

#endif
