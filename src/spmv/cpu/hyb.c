/* SPDX-License-Identifier: Apache-2.0 */
/* HYB with all threads, in chunks of rows: the ELL slot by slot, then the tails of these rows. */
#ifndef VALUE

#include "core/search.h"
#include "spmv/cpu/chunks.h"

#define TULLE__SELF "spmv/cpu/hyb.c"
#include "core/each_type.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_hyb;
const tulle__spmv_kernel tulle__cpu_spmv_hyb = {
    .head = {.name = "spmv_hyb",
             .summary = "all threads, chunks of rows: the ELL, then the tails of its rows",
             .source = "GPU Teaching Kit, sparse formats: HYB; Bell and Garland, SC 2009",
             .format = TULLE_HYB,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE},
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = tulle__chunk_cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/dot.h"
#include "spmv/cpu/strip.h"
#include "spmv/cpu/tail.h"

static NAME(strip) NAME(heads_of)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    const tulle_storage *s = task->shape.storage;
    return NAME(strip_at)(task, begin, end - begin, s->stride, s->width);
}

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    NAME(strip) heads = NAME(heads_of)(task, begin, end);
    NAME(sum_strip)(&heads, task->x, sums);
    NAME(sum_tail)(task, begin, end, sums);
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    NAME(strip) heads = NAME(heads_of)(task, begin, end);
    NAME(scatter_strip)(&heads, alpha, own, y);
    NAME(scatter_tail)(task, begin, end, alpha, own, y);
}

#include "spmv/cpu/by_chunks.h"

#endif
