/* SPDX-License-Identifier: Apache-2.0 */
/* JDS with all threads, in chunks of positions: diagonal by diagonal, as they lie in memory. */
#ifndef VALUE

#include "spmv/cpu/chunks.h"

#define TULLE__SELF "spmv/cpu/jds.c"
#include "core/each_type.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_jds;
const tulle__spmv_kernel tulle__cpu_spmv_jds = {
    .head = {.name = "spmv_jds",
             .summary = "all threads, chunks of positions, diagonal by diagonal",
             .source = "GPU Teaching Kit, sparse formats: JDS; Saad, jagged diagonals",
             .format = TULLE_JDS,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE | TULLE__HISTORICAL},
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = tulle__chunk_cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

/* The part of diagonal k in the positions from begin to end - 1: the first `rows` of them. Where
 * it is empty, so are those of the diagonals that follow. */
typedef struct NAME(diagonal) {
    const VALUE *values;
    const INDEX *cols;
    int64_t rows;
} NAME(diagonal);

static NAME(diagonal)
    NAME(diagonal_at)(const tulle__spmv_task *task, int64_t k, int64_t begin, int64_t end) {
    const OFFSET *offsets = task->offsets;
    if (k == task->shape.storage->width) return (NAME(diagonal)){0};
    int64_t slot = offsets[k] + begin, length = offsets[k + 1] - offsets[k];
    if (length <= begin) return (NAME(diagonal)){0};
    return (NAME(diagonal)){.values = (const VALUE *)task->values + slot,
                            .cols = (const INDEX *)task->cols_of + slot,
                            .rows = (length < end ? length : end) - begin};
}

static void NAME(sum_diagonal)(const NAME(diagonal) * d, const VALUE *restrict x,
                               COMPUTED *restrict sums) {
    for (int64_t r = 0; r < d->rows; r++) sums[r] += d->values[r] * x[d->cols[r]];
}

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    NAME(diagonal) d = NAME(diagonal_at)(task, 0, begin, end);
    for (int64_t k = 1; d.rows > 0; k++) {
        NAME(sum_diagonal)(&d, task->x, sums);
        d = NAME(diagonal_at)(task, k, begin, end);
    }
}

static void NAME(scatter_diagonal)(const NAME(diagonal) * d, COMPUTED alpha,
                                   const COMPUTED *restrict own, VALUE *restrict y) {
    for (int64_t r = 0; r < d->rows; r++) y[d->cols[r]] += alpha * (d->values[r] * own[r]);
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    NAME(diagonal) d = NAME(diagonal_at)(task, 0, begin, end);
    for (int64_t k = 1; d.rows > 0; k++) {
        NAME(scatter_diagonal)(&d, alpha, own, y);
        d = NAME(diagonal_at)(task, k, begin, end);
    }
}

#include "spmv/cpu/by_chunks.h"

#endif
