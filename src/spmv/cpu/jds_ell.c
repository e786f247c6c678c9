/* SPDX-License-Identifier: Apache-2.0 */
/* JDS-ELL with all threads, in chunks of positions, each section an ELL, slot by slot. */
#ifndef VALUE

#include "format/slots.h"
#include "spmv/cpu/chunks.h"

#define TULLE__SELF "spmv/cpu/jds_ell.c"
#include "core/each_type.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_jds_ell;
const tulle__spmv_kernel tulle__cpu_spmv_jds_ell = {
    .head = {.name = "spmv_jds_ell",
             .summary = "all threads, chunks of positions, each section an ELL",
             .source = "GPU Teaching Kit, sparse formats: JDS in sections, each an ELL",
             .format = TULLE_JDS_ELL,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE | TULLE__HISTORICAL},
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = tulle__chunk_cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/strip.h"

/* Returns the part of a section in the positions begin to end - 1; *at: its first position. */
static NAME(strip)
    NAME(section)(const tulle__spmv_task *task, int i, int64_t begin, int64_t end, int64_t *at) {
    tulle__section s = tulle__section_number(task->shape.storage, i);
    int64_t section_end = task->shape.storage->section_row[i + 1];
    int64_t first = begin > s.first_row ? begin : s.first_row;
    int64_t last = end < section_end ? end : section_end;
    *at = begin;
    if (first >= last) return (NAME(strip)){0};
    *at = first;
    return NAME(strip_at)(task, s.at + first - s.first_row, last - first, s.stride, s.width);
}

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    for (int i = 0; i < task->shape.storage->sections; i++) {
        int64_t at;
        NAME(strip) rows = NAME(section)(task, i, begin, end, &at);
        NAME(sum_strip)(&rows, task->x, sums + (at - begin));
    }
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    for (int i = 0; i < task->shape.storage->sections; i++) {
        int64_t at;
        NAME(strip) rows = NAME(section)(task, i, begin, end, &at);
        NAME(scatter_strip)(&rows, alpha, own + (at - begin), y);
    }
}

#include "spmv/cpu/by_chunks.h"

#endif
