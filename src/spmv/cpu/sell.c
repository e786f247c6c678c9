/* SPDX-License-Identifier: Apache-2.0 */
/* SELL-C-sigma with all threads, slice by slice: with vectors for the default slice
 * (simd/sell_slices.h), else the sums of four rows at a time in registers. */
#ifndef VALUE

#include <omp.h>

#include "core/search.h"
#include "spmv/cpu/chunks.h"
#include "spmv/cpu/simd/simd.h"

/* True when a product with such vectors goes by whole slices, straight to y. */
static bool by_slices(const tulle__spmv_shape *shape, const int *params) {
    const bool fits = shape->storage->slice == TULLE__SIMD_SLICE && shape->cols > 0;
    const tulle__simd *simd = tulle__simd_of(params[0]);
    return fits && shape->trans == TULLE_N && simd && simd->sell[0][0];
}

#define TULLE__SELF "spmv/cpu/sell.c"
#include "core/each_type.h"

/* Slices of another size than the default go as the strips of other formats. For the default's,
 * loads one by one are faster than gathers (docs/lab-notes.md, "CPU: slices of SELL"). */
static void defaults(const tulle__spmv_shape *shape, int *params) {
    const int widest = shape->device->vector_bits;
    tulle__simd_strip_defaults(shape, params);
    if (shape->storage->slice == TULLE__SIMD_SLICE) params[0] = widest < 256 ? widest : 256;
}

static double cost(const tulle__spmv_shape *shape, const int *params) {
    if (!by_slices(shape, params)) return tulle__chunk_cost(shape, params);
    return tulle__stream_cost(shape, params);
}

extern const tulle__spmv_kernel tulle__cpu_spmv_sell;
const tulle__spmv_kernel tulle__cpu_spmv_sell = {
    .head = {.name = "spmv_sell",
             .summary = "all threads, slices, sums of rows in registers",
             .source = "Kreutzer et al., SIAM J. Sci. Comput. 2014, SELL-C-sigma",
             .format = TULLE_SELL,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE,
             .param_count = 1,
             .params = tulle__simd_params},
    .defaults = defaults,
    .eligible = tulle__simd_eligible,
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run_slices),
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

/* Returns the first slice of part p of `parts`, which have about equal numbers of slots and rows
 * together. */
static int64_t NAME(first_slice)(const tulle__spmv_task *task, int p, int parts) {
    const OFFSET *offsets = task->offsets;
    const int64_t slices = tulle__ceil_div(task->shape.rows, TULLE__SIMD_SLICE);
    const double all = (double)offsets[slices] + (double)task->shape.rows;
    const int64_t target = (int64_t)(all * p / parts);
    int64_t low = 0;
    if (p == parts) return slices;
    TULLE__LOWER_BOUND(low, slices, s, (int64_t)offsets[s] + s * TULLE__SIMD_SLICE < target);
    return low;
}

static tulle_status NAME(run_slices)(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    if (!by_slices(shape, task->params)) return NAME(run)(task);
    const tulle__simd *simd = tulle__simd_of(task->params[0]);
#pragma omp parallel num_threads(tulle__spmv_threads(task))
    {
        const int p = omp_get_thread_num(), parts = omp_get_num_threads();
        simd->sell[tulle__type_index(shape->type)][shape->index](
            task, NAME(first_slice)(task, p, parts), NAME(first_slice)(task, p + 1, parts));
    }
    return TULLE_OK;
}

#endif
