/* SPDX-License-Identifier: Apache-2.0 */
/* JDS with all threads, in chunks of positions: diagonal by diagonal, as they lie in memory. */
#ifndef VALUE

#include "spmv/chunks.h"

#define TULLE__SELF "spmv/jds.c"
#include "core/each_type.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_jds;
const tulle__spmv_kernel tulle__cpu_spmv_jds = {
    .name = "spmv_jds",
    .summary = "all threads, chunks of positions, diagonal by diagonal",
    .source = "GPU Teaching Kit, sparse formats: JDS; Saad, jagged diagonals",
    .format = TULLE_JDS,
    .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
             TULLE__REFERENCE,
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = tulle__chunk_cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/strip.h"

/* What diagonal k has of the positions begin to end - 1; nothing where they stand behind its end,
 * as they then do for all that follow. */
static NAME(strip)
    NAME(diagonal)(const tulle__spmv_task *task, int64_t k, int64_t begin, int64_t end) {
    if (k == task->shape.storage->width) return (NAME(strip)){0};
    const OFFSET *offsets = task->offsets;
    int64_t length = offsets[k + 1] - offsets[k], last = length < end ? length : end;
    if (last <= begin) return (NAME(strip)){0};
    return NAME(strip_at)(task, offsets[k] + begin, last - begin, 0, 1);
}

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    NAME(strip) d = NAME(diagonal)(task, 0, begin, end);
    for (int64_t k = 1; d.rows > 0; k++) {
        NAME(sum_strip)(&d, task->x, sums);
        d = NAME(diagonal)(task, k, begin, end);
    }
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                const COMPUTED *scaled, VALUE *y) {
    NAME(strip) d = NAME(diagonal)(task, 0, begin, end);
    for (int64_t k = 1; d.rows > 0; k++) {
        NAME(scatter_strip)(&d, scaled, y);
        d = NAME(diagonal)(task, k, begin, end);
    }
}

#include "spmv/by_chunks.h"

#endif
