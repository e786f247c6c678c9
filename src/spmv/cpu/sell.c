/* SPDX-License-Identifier: Apache-2.0 */
/* SELL-C-sigma with all threads, slice by slice, the sums of four rows at a time in registers. */
#ifndef VALUE

#include "spmv/cpu/chunks.h"
#include "spmv/cpu/simd/simd.h"

#define TULLE__SELF "spmv/cpu/sell.c"
#include "core/each_type.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_sell;
const tulle__spmv_kernel tulle__cpu_spmv_sell = {
    .head = {.name = "spmv_sell",
             .summary = "all threads, slices, four rows at a time in registers",
             .source = "Kreutzer et al., SIAM J. Sci. Comput. 2014, SELL-C-sigma",
             .format = TULLE_SELL,
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

/* Returns slice number s as a strip. */
static NAME(strip) NAME(slice)(const tulle__spmv_task *task, int64_t s) {
    const OFFSET *offsets = task->offsets;
    int64_t slice = task->shape.storage->slice, slots = offsets[s + 1] - offsets[s];
    return NAME(strip_at)(task, offsets[s], slice, slice, slots / slice);
}

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    int64_t slice = task->shape.storage->slice;
    for (int64_t p = begin; p < end; p += slice) {
        NAME(strip) s = NAME(slice)(task, p / slice);
        NAME(sum_strip_of)(task, &s, sums + (p - begin));
    }
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    int64_t slice = task->shape.storage->slice;
    for (int64_t p = begin; p < end; p += slice) {
        NAME(strip) s = NAME(slice)(task, p / slice);
        NAME(scatter_strip)(&s, alpha, own + (p - begin), y);
    }
}

#include "spmv/cpu/by_chunks.h"

#endif
