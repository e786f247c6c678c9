/* SPDX-License-Identifier: Apache-2.0 */
/* CSR+COO with all threads, in chunks of rows: the CSR row by row, then the tails of these rows. */
#ifndef VALUE

#include "core/search.h"
#include "spmv/cpu/chunks.h"

#define TULLE__SELF "spmv/cpu/csr_coo.c"
#include "core/each_type.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_csr_coo;
const tulle__spmv_kernel tulle__cpu_spmv_csr_coo = {
    .head = {.name = "spmv_csr_coo",
             .summary = "all threads, chunks of rows: the CSR, then the tails of its rows",
             .source = "GPU Teaching Kit, sparse formats: long rows of a CSR in COO",
             .format = TULLE_CSR_COO,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE | TULLE__HISTORICAL},
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = tulle__chunk_cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/dot.h"
#include "spmv/cpu/tail.h"

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values;
    for (int64_t i = begin; i < end; i++) {
        OFFSET first = offsets[i], count = offsets[i + 1] - first;
        sums[i - begin] = NAME(dot)(values + first, cols + first, task->x, count);
    }
    NAME(sum_tail)(task, begin, end, sums);
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values;
    for (int64_t i = begin; i < end; i++) {
        for (OFFSET e = offsets[i]; e < offsets[i + 1]; e++) {
            y[cols[e]] += alpha * (values[e] * own[i - begin]);
        }
    }
    NAME(scatter_tail)(task, begin, end, alpha, own, y);
}

#include "spmv/cpu/by_chunks.h"

#endif
