/* SPDX-License-Identifier: Apache-2.0 */
/* The product by parts (parts.h), once for each type combination: `by_parts`, for which the
 * including file has defined before
 *
 *   scatter_part(task, p, parts, alpha, y): adds alpha times the products of part p's entries to y.
 *
 * No include guard, on purpose. */
#include <string.h>

typedef struct NAME(parted) {
    const tulle__spmv_task *task;
    int parts;
    VALUE *copies[TULLE__PARTS];         /* the first one is y itself where beta is 0 */
    tulle__window windows[TULLE__PARTS]; /* windows of the parts; no number of y is left out */
} NAME(parted);

/* Clears a part's copy, in its window, and adds the products of the part's entries there. */
static void NAME(fill_copy)(const NAME(parted) * t, int p, COMPUTED alpha) {
    const tulle__window w = t->windows[p];
    if (w.end > w.begin) {
        memset(t->copies[p] + w.begin, 0, (size_t)(w.end - w.begin) * sizeof(VALUE));
    }
    NAME(scatter_part)(t->task, p, t->parts, alpha, t->copies[p]);
}

/* Adds the copy of part p + step, the sum of `step` parts, to that of part p, in the numbers
 * `first` to last - 1. */
static void NAME(add_copies)(const NAME(parted) * t, int p, int step, int64_t first, int64_t last) {
    const int q = p + step;
    const tulle__window from = {t->windows[q].begin, t->windows[q + step - 1].end};
    const int64_t begin = first > from.begin ? first : from.begin;
    const int64_t end = last < from.end ? last : from.end;
    if (begin >= end) return;
    const int64_t known = t->windows[q - 1].end;
    _Generic((VALUE)0, float
             : tulle__add_copy_f32, double
             : tulle__add_copy_f64)(t->copies[q], begin,
                                    known < begin ? begin
                                    : known < end ? known
                                                  : end,
                                    end, t->copies[p]);
}

/* Says where the parts of a product have their copies. The arguments are those of by_parts. */
static NAME(parted) NAME(parted_of)(const tulle__spmv_task *task, int parts, int64_t length,
                                    const tulle__window *windows) {
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    VALUE *y = task->y, *copies = task->workspace;
    NAME(parted) t = {.task = task, .parts = parts};
    for (int p = 0; p < parts; p++) {
        const tulle__window own = windows ? windows[p] : (tulle__window){0, length};
        t.copies[p] = p == 0 && beta == 0 ? y : copies + p * length;
        t.windows[p].begin = p == 0 ? 0 : own.begin;
        t.windows[p].end = p + 1 < parts ? own.end : length;
    }
    return t;
}

/* Computes y := alpha op(A) x + beta y for a y of so many numbers. windows: where each part adds to
 * y; NULL: anywhere. */
static void NAME(by_parts)(const tulle__spmv_task *task, int threads, int parts, int64_t length,
                           const tulle__window *windows) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    VALUE *y = task->y;
    if (parts == 1) {
        if (beta == 0 && length > 0) memset(y, 0, (size_t)length * sizeof *y);
        for (int64_t i = 0; i < length && beta != 0; i++) y[i] *= beta;
        NAME(scatter_part)(task, 0, 1, alpha, y);
        return;
    }
    const NAME(parted) t = NAME(parted_of)(task, parts, length, windows);
    const int64_t blocks = (length + TULLE__SUMMED - 1) / TULLE__SUMMED;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int p = 0; p < parts; p++) NAME(fill_copy)(&t, p, alpha);
        for (int step = 1; step < parts; step *= 2) {
            const int64_t items = parts / 2 / step * blocks;
#pragma omp for schedule(static)
            for (int64_t k = 0; k < items; k++) {
                const int64_t first = k % blocks * TULLE__SUMMED;
                NAME(add_copies)
                (&t, (int)(k / blocks) * 2 * step, step, first, first + TULLE__SUMMED);
            }
        }
#pragma omp for schedule(static)
        for (int64_t block = 0; block < (beta == 0 ? 0 : blocks); block++) {
            const int64_t begin = block * TULLE__SUMMED, left = length - begin;
            _Generic(beta, float
                     : tulle__add_scaled_f32, double
                     : tulle__add_scaled_f64)(
                t.copies[0], begin, begin + (left < TULLE__SUMMED ? left : TULLE__SUMMED), beta, y);
        }
    }
}
