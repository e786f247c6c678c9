/* SPDX-License-Identifier: Apache-2.0 */
/* DCSR with all threads: y := beta y, then the rows that have entries, each summed by one thread;
 * A^T x by one. Both are bitwise the same for any number of threads. */
#ifndef VALUE

/* Gathered numbers of x do not fit SSE2 (see csr.c). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-slp-vectorize")
#endif

#include "spmv/bytes.h"
#include "spmv/cpu/threads.h"
#include "spmv/spmv.h"

/* Number of rows that a thread takes at a time. */
enum { CHUNK = 64 };

#define TULLE__SELF "spmv/cpu/dcsr.c"
#include "core/each_type.h"

/* Cost as of COO: a parallel region takes the time of 200 kB, and one thread reaches a quarter
 * of the bandwidth of all. */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    double all = (double)tulle__spmv_minimal_bytes(shape, true);
    return shape->trans == TULLE_T ? 4 * all : 200e3 + all;
}

extern const tulle__spmv_kernel tulle__cpu_spmv_dcsr;
const tulle__spmv_kernel tulle__cpu_spmv_dcsr = {
    .head = {.name = "spmv_dcsr",
             .summary = "all threads, by rows that have entries; A^T x by one",
             .source = "Buluc and Gilbert, IPDPS 2008, doubly compressed rows",
             .format = TULLE_DCSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE},
    .bytes = tulle__spmv_dcsr_bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/dot.h"

static void NAME(scale)(const tulle__spmv_task *task, COMPUTED beta) {
    int64_t n = task->shape.trans == TULLE_N ? task->shape.rows : task->shape.cols;
    VALUE *y = task->y;
#pragma omp parallel for num_threads(tulle__spmv_threads(task)) schedule(static)
    for (int64_t i = 0; i < n; i++) y[i] = beta == 0 ? 0 : beta * y[i];
}

static void NAME(gather)(const tulle__spmv_task *task, COMPUTED alpha) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of, *order = task->order;
    const VALUE *values = task->values, *x = task->x;
    VALUE *y = task->y;
#pragma omp parallel for num_threads(tulle__spmv_threads(task)) schedule(dynamic, CHUNK)
    for (int64_t p = 0; p < task->shape.storage->heads; p++) {
        OFFSET first = offsets[p];
        y[order[p]] += alpha * NAME(dot)(values + first, cols + first, x, offsets[p + 1] - first);
    }
}

static void NAME(scatter)(const tulle__spmv_task *task, COMPUTED alpha) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of, *order = task->order;
    const VALUE *values = task->values, *x = task->x;
    VALUE *y = task->y;
    for (int64_t p = 0; p < task->shape.storage->heads; p++) {
        COMPUTED own = x[order[p]];
        for (OFFSET e = offsets[p]; e < offsets[p + 1]; e++)
            y[cols[e]] += alpha * (values[e] * own);
    }
}

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    NAME(scale)(task, tulle__scalar_value(COMPUTED, task->beta));
    if (task->shape.trans == TULLE_N) {
        NAME(gather)(task, alpha);
    } else {
        NAME(scatter)(task, alpha);
    }
    return TULLE_OK;
}

#endif
