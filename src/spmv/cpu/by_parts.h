/* SPDX-License-Identifier: Apache-2.0 */
/* The product by parts (parts.h), once for each type combination: `by_parts`, for which the
 * including file has defined before
 *
 *   scatter_part(task, p, parts, alpha, y): adds alpha times the products of part p's entries to y.
 *
 * No include guard, on purpose. */
#include <string.h>

/* Computes y := alpha op(A) x + beta y for a y of so many numbers. */
static void NAME(by_parts)(const tulle__spmv_task *task, int threads, int parts, int64_t length) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    VALUE *y = task->y, *copies = task->workspace;
    if (parts == 1) {
        for (int64_t i = 0; i < length; i++) y[i] = beta == 0 ? 0 : beta * y[i];
        NAME(scatter_part)(task, 0, 1, alpha, y);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, 1)
        for (int p = 0; p < parts; p++) {
            VALUE *own = copies + p * length;
            memset(own, 0, (size_t)length * sizeof *own);
            NAME(scatter_part)(task, p, parts, alpha, own);
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < length; i++) {
            COMPUTED sum = 0;
            for (int p = 0; p < parts; p++) sum += copies[p * length + i];
            y[i] = beta == 0 ? sum : sum + beta * y[i];
        }
    }
}
