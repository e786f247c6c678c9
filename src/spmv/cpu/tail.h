/* SPDX-License-Identifier: Apache-2.0 */
/* The tails of HYB and CSR+COO on the CPU: COO entries, row by row, once for each type combination.
 * Needs dot.h. No include guard, on purpose. */

/* The tail entries of some rows. */
typedef struct NAME(tail) {
    const INDEX *rows_of, *cols;
    const VALUE *values;
    int64_t count;
} NAME(tail);

/* Returns the first tail entry of row i or of a later one. */
static int64_t NAME(tail_begin)(const tulle__spmv_task *task, int64_t i) {
    const tulle_storage *s = task->shape.storage;
    const INDEX *rows_of = task->rows_of;
    int64_t low = 0;
    TULLE__LOWER_BOUND(low, s->stored - s->head, middle, rows_of[middle] < i);
    return low;
}

static NAME(tail) NAME(tail_of)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    int64_t first = NAME(tail_begin)(task, begin), slot = task->shape.storage->head + first;
    int64_t count = NAME(tail_begin)(task, end) - first;
    if (count == 0) return (NAME(tail)){0};
    return (NAME(tail)){.rows_of = (const INDEX *)task->rows_of + first,
                        .cols = (const INDEX *)task->cols_of + slot,
                        .values = (const VALUE *)task->values + slot,
                        .count = count};
}

static void NAME(sum_tail)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                           COMPUTED *sums) {
    NAME(tail) t = NAME(tail_of)(task, begin, end);
    int64_t stop;
    for (int64_t e = 0; e < t.count; e = stop) {
        INDEX row = t.rows_of[e];
        for (stop = e + 1; stop < t.count && t.rows_of[stop] == row; stop++) {
        }
        sums[row - begin] += NAME(dot)(t.values + e, t.cols + e, task->x, stop - e);
    }
}

static void NAME(scatter_tail)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                               COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    NAME(tail) t = NAME(tail_of)(task, begin, end);
    for (int64_t e = 0; e < t.count; e++) {
        y[t.cols[e]] += alpha * (t.values[e] * own[t.rows_of[e] - begin]);
    }
}
