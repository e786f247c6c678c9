/* SPDX-License-Identifier: Apache-2.0 */
/* COO with all threads. A x of sorted entries: by rows, as CSR, each row found by its run of equal
 * row indices and summed by one thread. Otherwise, and for A^T x: a fixed number of parts of the
 * entries, each with a y of its own, which are then added as a fixed tree (parts.h). Both are
 * bitwise the same for any number of threads. */
#ifndef VALUE

/* Gathered numbers of x do not fit SSE2 (see csr.c). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-slp-vectorize")
#endif

#include <omp.h>

#include "core/search.h"
#include "spmv/cpu/parts.h"
#include "spmv/cpu/threads.h"
#include "spmv/spmv.h"

static bool by_rows(const tulle__spmv_shape *shape) {
    return shape->trans == TULLE_N && shape->stats->sorted;
}

static int64_t length_of_y(const tulle__spmv_shape *shape) {
    return shape->trans == TULLE_N ? shape->rows : shape->cols;
}

static int parts_of(const tulle__spmv_shape *shape) {
    return tulle__parts(shape->nnz, length_of_y(shape));
}

/* Returns the first entry of a part. */
static int64_t part_begin(int64_t entries, int p, int parts) {
    int64_t rest = entries % parts;
    return entries / parts * p + (p < rest ? p : rest);
}

#define TULLE__SELF "spmv/cpu/coo.c"
#include "core/each_type.h"

static size_t workspace(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    if (by_rows(shape)) return 0;
    return tulle__parts_workspace(shape, parts_of(shape), length_of_y(shape));
}

static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    int64_t value = tulle_type_size(shape->type), index = tulle_index_size(shape->index);
    int64_t entries = shape->nnz * (2 * index + 2 * value);
    int64_t y = (beta_zero ? 1 : 2) * length_of_y(shape) * value;
    if (by_rows(shape)) return entries + y;
    return entries + y + 2 * shape->nnz * value + 2 * (int64_t)workspace(shape, params);
}

/* Cost: a parallel region takes about ten microseconds, in which 200 kB move. One thread reaches
 * about a quarter of the bandwidth of all. */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    double all = (double)tulle__spmv_minimal_bytes(shape, true);
    if (!by_rows(shape) && parts_of(shape) == 1) return 4 * all;
    return 200e3 + all + 2.0 * (double)workspace(shape, params);
}

extern const tulle__spmv_kernel tulle__cpu_spmv_coo;
const tulle__spmv_kernel tulle__cpu_spmv_coo = {
    .head = {.name = "spmv_coo",
             .summary =
                 "all threads: sorted entries by rows, others in parts that are added as a tree",
             .source = "Bell and Garland, SC 2009, COO format; parallel by OpenMP",
             .format = TULLE_COO,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE},
    .workspace = workspace,
    .bytes = bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/dot.h"

/* Returns the first entry of row i or of a later one. */
static int64_t NAME(row_begin)(const tulle__spmv_task *task, int64_t i) {
    const INDEX *rows_of = task->rows_of;
    int64_t low = 0;
    TULLE__LOWER_BOUND(low, task->shape.nnz, middle, rows_of[middle] < i);
    return low;
}

/* Returns the first row of part p of `parts`: work is entries + rows, so that empty rows count
 * too. */
static int64_t NAME(first_row)(const tulle__spmv_task *task, int p, int parts) {
    int64_t rows = task->shape.rows;
    if (p == parts) return rows;
    int64_t target = (int64_t)((double)p / parts * (double)(task->shape.nnz + rows));
    int64_t low = 0;
    TULLE__LOWER_BOUND(low, rows, middle, NAME(row_begin)(task, middle) + middle < target);
    return low;
}

/* Computes y of rows row to end - 1. */
static void NAME(some_rows)(const tulle__spmv_task *task, int64_t row, int64_t end, COMPUTED alpha,
                            COMPUTED beta) {
    const INDEX *rows_of = task->rows_of, *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    VALUE *y = task->y;
    int64_t last = NAME(row_begin)(task, end), first = NAME(row_begin)(task, row);
    for (; row < end; row++) {
        int64_t stop = first;
        while (stop < last && rows_of[stop] == row) stop++;
        COMPUTED sum = NAME(dot)(values + first, cols + first, x, stop - first);
        y[row] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
        first = stop;
    }
}

static void NAME(rows)(const tulle__spmv_task *task) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
#pragma omp parallel num_threads(tulle__spmv_threads(task))
    {
        int p = omp_get_thread_num(), parts = omp_get_num_threads();
        NAME(some_rows)
        (task, NAME(first_row)(task, p, parts), NAME(first_row)(task, p + 1, parts), alpha, beta);
    }
}

static void NAME(scatter_part)(const tulle__spmv_task *task, int p, int parts, COMPUTED alpha,
                               VALUE *y) {
    bool forward = task->shape.trans == TULLE_N;
    const INDEX *to = forward ? task->rows_of : task->cols_of;
    const INDEX *from = forward ? task->cols_of : task->rows_of;
    const VALUE *values = task->values, *x = task->x;
    int64_t end = part_begin(task->shape.nnz, p + 1, parts);
    for (int64_t e = part_begin(task->shape.nnz, p, parts); e < end; e++) {
        y[to[e]] += alpha * ((COMPUTED)values[e] * x[from[e]]);
    }
}

#include "spmv/cpu/by_parts.h"

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    if (by_rows(shape)) {
        NAME(rows)(task);
    } else {
        NAME(by_parts)(task, tulle__spmv_threads(task), parts_of(shape), length_of_y(shape), NULL);
    }
    return TULLE_OK;
}

#endif
