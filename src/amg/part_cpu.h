/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and offsets of matrices of interpolation, on the CPU. */
#ifndef TULLE_AMG_PART_CPU_H
#define TULLE_AMG_PART_CPU_H

#include "amg/jobs.h"
#include "core/types.h"

/* Turns the counts of rows into the numbers of entries before them; returns the number of all
 * entries. */
static inline int64_t tulle__amg_sum_up(int64_t *counts, int64_t rows) {
    int64_t before = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t own = counts[i];
        counts[i] = before;
        before += own;
    }
    counts[rows] = before;
    return before;
}

/* Stores the offset behind the last row. */
static inline void tulle__amg_end_offsets(tulle_index index, const tulle__amg_part *part,
                                          int64_t rows) {
    const int64_t entries = part->before[rows];
    if (tulle_offset_size(index) == 4) {
        ((int32_t *)part->offsets)[rows] = (int32_t)entries;
    } else {
        ((int64_t *)part->offsets)[rows] = entries;
    }
}

#endif
