/* SPDX-License-Identifier: Apache-2.0 */
/* The product of an ELL matrix by all threads. A thread takes chunks of rows, and reads the slots
 * of a chunk in the order in which they lie in memory. */
#ifndef VALUE

#include "spmv/cpu/chunks.h"
#include "spmv/cpu/simd/simd.h"

#define TULLE__SELF "spmv/cpu/ell.c"
#include "core/each_type.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_ell;
const tulle__spmv_kernel tulle__cpu_spmv_ell = {
    .head = {.name = "spmv_ell",
             .summary = "all threads, chunks of rows, slot by slot",
             .source = "GPU Teaching Kit, sparse formats: ELL; Bell and Garland, SC 2009",
             .format = TULLE_ELL,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE,
             .param_count = 1,
             .params = tulle__simd_params},
    .defaults = tulle__simd_strip_defaults,
    .eligible = tulle__simd_eligible,
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = tulle__chunk_cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/strip.h"
#include "spmv/cpu/strip_simd.h"

static NAME(strip) NAME(rows_of)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    const tulle_storage *s = task->shape.storage;
    return NAME(strip_at)(task, begin, end - begin, s->stride, s->width);
}

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    NAME(strip) rows = NAME(rows_of)(task, begin, end);
    NAME(sum_strip_of)(task, &rows, sums);
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    NAME(strip) rows = NAME(rows_of)(task, begin, end);
    NAME(scatter_strip)(&rows, alpha, own, y);
}

#include "spmv/cpu/by_chunks.h"

#endif
