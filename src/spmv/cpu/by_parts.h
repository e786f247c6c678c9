/* SPDX-License-Identifier: Apache-2.0 */
/* The product by parts (parts.h), once for each type combination: `by_parts`, for which the
 * including file has defined before
 *
 *   scatter_part(task, p, parts, alpha, y): adds alpha times the products of part p's entries to y.
 *
 * No include guard, on purpose. */
#include <string.h>

/* Computes y := alpha op(A) x + beta y for a y of so many numbers. windows: where each part adds to
 * y; NULL: anywhere. */
static void NAME(by_parts)(const tulle__spmv_task *task, int threads, int parts, int64_t length,
                           const tulle__window *windows) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    VALUE *y = task->y, *copies = task->workspace;
    if (parts == 1) {
        if (beta == 0 && length > 0) memset(y, 0, (size_t)length * sizeof *y);
        for (int64_t i = 0; i < length && beta != 0; i++) y[i] *= beta;
        NAME(scatter_part)(task, 0, 1, alpha, y);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, 1)
        for (int p = 0; p < parts; p++) {
            VALUE *own = copies + p * length;
            const tulle__window w = windows ? windows[p] : (tulle__window){0, length};
            memset(own + w.begin, 0, (size_t)(w.end - w.begin) * sizeof *own);
            NAME(scatter_part)(task, p, parts, alpha, own);
        }
#pragma omp for schedule(static)
        for (int64_t begin = 0; begin < length; begin += TULLE__SUMMED) {
            const int64_t left = length - begin;
            _Generic(beta, float
                     : tulle__add_copies_f32, double
                     : tulle__add_copies_f64)(copies, length, parts, windows, begin,
                                              begin + (left < TULLE__SUMMED ? left : TULLE__SUMMED),
                                              beta, y);
        }
    }
}
