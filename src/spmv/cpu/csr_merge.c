/* SPDX-License-Identifier: Apache-2.0 */
/* Merge path, by the pieces of pieces.h. A piece's sum of a row that goes on after it is a
 * carry; carries are added at the end, in order. */
#ifndef VALUE

/* Gathered numbers of x do not fit SSE2 (see csr.c). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-slp-vectorize")
#endif

#include <stddef.h>

#include "core/search.h"
#include "spmv/bytes.h"
#include "spmv/cpu/pieces.h"
#include "spmv/cpu/simd/simd.h"
#include "spmv/cpu/threads.h"
#include "spmv/spmv.h"

#define TULLE__SELF "spmv/cpu/csr_merge.c"
#include "core/each_type.h"

static size_t workspace(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    size_t carry = sizeof(int64_t) + (size_t)tulle_type_size(shape->type);
    return (size_t)tulle__pieces(shape) * carry;
}

static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero) + 2 * (int64_t)workspace(shape, params);
}

/* Cost: a parallel region takes about ten microseconds, in which 200 kB move; a piece's searches
 * and its carry about a tenth of one. */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    return 200e3 + 2e3 * tulle__pieces(shape) + tulle__row_ends(shape, params[0]) +
           (double)tulle__spmv_minimal_bytes(shape, true);
}

extern const tulle__spmv_kernel tulle__cpu_spmv_csr_merge;
const tulle__spmv_kernel tulle__cpu_spmv_csr_merge = {
    .head = {.name = "spmv_csr_merge",
             .summary = "merge path, all threads: rows and entries dealt out in equal pieces",
             .source = "Merrill and Garland, SC 2016",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE,
             .param_count = 1,
             .params = tulle__simd_params},
    .defaults = tulle__simd_defaults,
    .eligible = tulle__simd_eligible,
    .workspace = workspace,
    .bytes = bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/cut_row.h"
#include "spmv/cpu/dot.h"

/* Scratch: a carry for each piece; row -1: nothing is carried. */
typedef struct NAME(carries) {
    int64_t *row;
    VALUE *sum;
} NAME(carries);

/* Sums the entries begin to end - 1, times x. */
static COMPUTED NAME(entries)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    const tulle__simd *simd = tulle__simd_of(task->params[0]);
    if (simd) {
        return (COMPUTED)simd->entries[tulle__type_index(task->shape.type)][task->shape.index](
            task, begin, end);
    }
    return NAME(dot)((const VALUE *)task->values + begin, (const INDEX *)task->cols_of + begin,
                     task->x, end - begin);
}

/* Computes y of the rows begin to end - 1, the first of them from an entry on. */
static void NAME(rows)(const tulle__spmv_task *task, int64_t begin, int64_t end, int64_t entry) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    const OFFSET *offsets = task->offsets;
    const tulle__simd *simd = tulle__simd_of(task->params[0]);
    VALUE *y = task->y;
    int64_t singly = simd ? begin + 1 : end;
    for (int64_t i = begin; i < singly; i++) {
        COMPUTED sum = NAME(entries)(task, entry, offsets[i + 1]);
        y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
        entry = offsets[i + 1];
    }
    if (simd) simd->rows[tulle__type_index(task->shape.type)][task->shape.index](task, singly, end);
}

static void NAME(piece)(const tulle__spmv_task *task, int p, int pieces, NAME(carries) carries) {
    const OFFSET *offsets = task->offsets;
    int64_t begin = tulle__piece_begin(&task->shape, p, pieces);
    int64_t end = tulle__piece_begin(&task->shape, p + 1, pieces);
    int64_t row = NAME(cut_row)(task, begin), last = NAME(cut_row)(task, end);
    int64_t entry = offsets[0] + begin - row, stop = offsets[0] + end - last;
    if (row < last) {
        NAME(rows)(task, row, last, entry);
        entry = offsets[last];
    }
    carries.row[p] = entry < stop ? last : -1;
    carries.sum[p] = NAME(entries)(task, entry, stop);
}

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    VALUE *y = task->y;
    int pieces = tulle__pieces(&task->shape);
    int64_t *carry_row = task->workspace;
    NAME(carries) carries = {carry_row, (VALUE *)(carry_row + pieces)};
#pragma omp parallel for schedule(static) num_threads(tulle__spmv_threads(task))
    for (int p = 0; p < pieces; p++) NAME(piece)(task, p, pieces, carries);
    for (int p = 0; p < pieces; p++) {
        if (carries.row[p] >= 0) y[carries.row[p]] += alpha * carries.sum[p];
    }
    return TULLE_OK;
}

#endif
