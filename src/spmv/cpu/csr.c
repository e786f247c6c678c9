/* SPDX-License-Identifier: Apache-2.0 */
/* CSR by rows with all threads. One thread sums a row, with SIMD instructions (simd/csr_rows.h) or
 * in four partial sums, so that additions do not wait for each other. Threads get rows with about
 * equal numbers of entries. A^T x: the rows are cut into a fixed number of parts, each with a y of
 * its own, which are then added as a fixed tree (parts.h). Threads take a part each, or a share of
 * the columns (spmv/shares.h). So both products are bitwise the same for any number of threads. */
#ifndef VALUE

/* Numbers of x at scattered places suit no SSE2 register: GCC 12 fills registers one number at a
 * time, and the product takes half as long again (docs/lab-notes.md). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-slp-vectorize")
#endif

#include <omp.h>

#include "core/search.h"
#include "spmv/cpu/csr_rows.h"
#include "spmv/cpu/parts.h"
#include "spmv/cpu/simd/simd.h"
#include "spmv/cpu/threads.h"
#include "spmv/shares.h"
#include "spmv/spmv.h"

static int parts_of(const tulle__spmv_shape *shape) {
    return tulle__parts_near(shape->nnz, shape->rows, shape->cols, shape->stats->bandwidth);
}

#define TULLE__SELF "spmv/cpu/csr.c"
#include "core/each_type.h"

int64_t tulle__csr_share(const tulle__spmv_task *task, int p, int parts) {
    typedef int64_t share(const tulle__spmv_task *, int, int);
    static share *const shares[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] = TULLE__RUN_ALL(first_row);
    return shares[tulle__type_index(task->shape.type)][task->shape.index](task, p, parts);
}

void tulle__csr_rows(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    typedef void rows(const tulle__spmv_task *, int64_t, int64_t);
    static rows *const plain[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] = TULLE__RUN_ALL(rows);
    const tulle__simd *simd = tulle__simd_of(task->params[0]);
    const int type = tulle__type_index(task->shape.type);
    (simd ? simd->rows : plain)[type][task->shape.index](task, begin, end);
}

static size_t workspace(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    if (shape->trans == TULLE_N) return 0;
    return tulle__parts_workspace(shape, parts_of(shape), shape->cols);
}

/* Returns the numbers of the copies of y that are cleared, added to and read. */
static int64_t copied(const tulle__spmv_shape *shape, int parts) {
    if (parts == 1) return 0;
    return tulle__parts_copied(parts, shape->rows, shape->cols, shape->stats->bandwidth);
}

static int64_t copied_bytes(const tulle__spmv_shape *shape) {
    const int parts = shape->trans == TULLE_N ? 1 : parts_of(shape);
    return copied(shape, parts) * tulle_type_size(shape->type);
}

static bool shared_work(const tulle__spmv_task *task, tulle__shared_work *work) {
    const tulle__spmv_shape *shape = &task->shape;
    if (shape->trans == TULLE_N) return false;
    const int parts = parts_of(shape);
    *work = (tulle__shared_work){tulle__spmv_threads(task), parts, copied(shape, parts)};
    return true;
}

static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    (void)params;
    return tulle__spmv_csr_bytes(shape, beta_zero) + 2 * copied_bytes(shape);
}

/* Cost: a parallel region takes about ten microseconds, in which 200 kB move. The ends of rows that
 * scatter are left out, as in csr_seq.c, whose rows end alike. */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    const double ends = shape->trans == TULLE_N ? tulle__row_ends(shape, params[0]) : 0;
    return 200e3 + (double)tulle__spmv_minimal_bytes(shape, true) + ends +
           2.0 * (double)copied_bytes(shape);
}

extern const tulle__spmv_kernel tulle__cpu_spmv_csr;
const tulle__spmv_kernel tulle__cpu_spmv_csr = {
    .head = {.name = "spmv_csr",
             .summary = "all threads, by rows, dealt out by entries",
             .source = "Gustavson's CSR product by rows; parallel by OpenMP",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T,
             .param_count = 1,
             .params = tulle__simd_params},
    .defaults = tulle__simd_defaults,
    .eligible = tulle__simd_eligible,
    .workspace = workspace,
    .shared_work = shared_work,
    .bytes = bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/dot.h"

/* Returns the first row of part p of `parts`: work is entries + rows, so that empty rows count
 * too. */
static int64_t NAME(first_row)(const tulle__spmv_task *task, int p, int parts) {
    const OFFSET *offsets = task->offsets;
    int64_t rows = task->shape.rows;
    double share = (double)p / parts;
    int64_t target = (int64_t)(share * (double)(task->shape.nnz + rows));
    if (p == parts) return rows;
    int64_t low = 0;
    TULLE__LOWER_BOUND(low, rows, middle, (int64_t)offsets[middle] + middle < target);
    return low;
}

/* Computes y of the rows begin to end - 1, without vectors. */
static void NAME(rows)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    VALUE *y = task->y;
    for (int64_t i = begin; i < end; i++) {
        OFFSET first = offsets[i];
        COMPUTED sum = NAME(dot)(values + first, cols + first, x, offsets[i + 1] - first);
        y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
    }
}

static void NAME(forward)(const tulle__spmv_task *task) {
#pragma omp parallel num_threads(tulle__spmv_threads(task))
    {
        int p = omp_get_thread_num(), parts = omp_get_num_threads();
        tulle__csr_rows(task, NAME(first_row)(task, p, parts), NAME(first_row)(task, p + 1, parts));
    }
}

static void NAME(scatter_part)(const tulle__spmv_task *task, int p, int parts, COMPUTED alpha,
                               VALUE *y) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    int64_t end = NAME(first_row)(task, p + 1, parts);
    for (int64_t i = NAME(first_row)(task, p, parts); i < end; i++) {
        COMPUTED own = x[i];
        for (OFFSET e = offsets[i]; e < offsets[i + 1]; e++)
            y[cols[e]] += alpha * (values[e] * own);
    }
}

#include "spmv/cpu/by_parts.h"
#include "spmv/cpu/by_shares.h"

/* Computes A^T x. A part adds to y no farther from its rows than the bandwidth is wide. */
static void NAME(transposed)(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    const int parts = parts_of(shape);
    const int64_t reach = shape->stats->bandwidth, cols = shape->cols;
    tulle__window windows[TULLE__PARTS];
    for (int p = 0; p < parts; p++) {
        const int64_t first = NAME(first_row)(task, p, parts) - reach;
        const int64_t last = NAME(first_row)(task, p + 1, parts) + reach;
        const int64_t end = last < cols ? last : cols;
        windows[p].begin = first < 0 ? 0 : first < end ? first : end;
        windows[p].end = end;
    }
    const int threads = tulle__spmv_threads(task);
    if (task->shares) {
        NAME(by_shares)(task, threads, parts, windows);
    } else {
        NAME(by_parts)(task, threads, parts, cols, windows);
    }
}

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    if (task->shape.trans == TULLE_N) {
        NAME(forward)(task);
    } else {
        NAME(transposed)(task);
    }
    return TULLE_OK;
}

#endif
