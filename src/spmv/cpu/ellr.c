/* SPDX-License-Identifier: Apache-2.0 */
/* ELL-R with all threads, in chunks of rows, each as wide as its longest row. */
#ifndef VALUE

#include "spmv/cpu/chunks.h"

#define TULLE__SELF "spmv/cpu/ellr.c"
#include "core/each_type.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_ellr;
const tulle__spmv_kernel tulle__cpu_spmv_ellr = {
    .head = {.name = "spmv_ellr",
             .summary = "all threads, chunks of rows, each as wide as its longest",
             .source = "Vazquez, Fernandez and Garzon, Concurrency Computat. 2011, ELL-R",
             .format = TULLE_ELLR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE | TULLE__HISTORICAL},
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = tulle__chunk_cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/strip.h"

static NAME(strip) NAME(rows_of)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    const INDEX *lengths = task->lengths;
    int64_t width = 0;
    for (int64_t i = begin; i < end; i++) {
        if (lengths[i] > width) width = lengths[i];
    }
    return NAME(strip_at)(task, begin, end - begin, task->shape.storage->stride, width);
}

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    NAME(strip) rows = NAME(rows_of)(task, begin, end);
    NAME(sum_strip)(&rows, task->x, sums);
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    NAME(strip) rows = NAME(rows_of)(task, begin, end);
    NAME(scatter_strip)(&rows, alpha, own, y);
}

#include "spmv/cpu/by_chunks.h"

#endif
