/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a CSR product on a CPU, for products with work of their own behind each row. A row's
 * y is the same whichever rows it is computed with. task->params: those of the kernel spmv_csr. */
#ifndef TULLE_SPMV_CPU_CSR_ROWS_H
#define TULLE_SPMV_CPU_CSR_ROWS_H

#include "spmv/spmv.h"

/* Returns the first row of part p of `parts` with about equal work; the rows behind part parts - 1
 * begin at the number of rows. */
int64_t tulle__csr_share(const tulle__spmv_task *task, int p, int parts);

/* Computes y of the rows begin to end - 1. */
void tulle__csr_rows(const tulle__spmv_task *task, int64_t begin, int64_t end);

#endif
