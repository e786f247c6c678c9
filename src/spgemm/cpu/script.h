/* SPDX-License-Identifier: Apache-2.0 */
/* A script for rows of C with the pattern of the row before (kin.h): the place of each
 * multiplication is written down once, and rows that follow go by it, without a window. Once for
 * each type combination: the include guard is only around lines that are the same for all. */
#ifndef TULLE_SPGEMM_CPU_SCRIPT_H
#define TULLE_SPGEMM_CPU_SCRIPT_H

#include "spgemm/cpu/kin.h"

/* Largest number of multiplications of a row that has a script, and least number of rows that
 * follow it, so that it pays. */
enum { TULLE__SCRIPT_MOST = 8192, TULLE__SCRIPT_ROWS = 3 };

/* True when enough rows from row i on are kin. */
static inline bool tulle__script_pays(const uint8_t *kin, int64_t i, int64_t end) {
    if (!kin || i + TULLE__SCRIPT_ROWS > end) return false;
    for (int r = 0; r < TULLE__SCRIPT_ROWS; r++) {
        if (kin[i + r] == TULLE__SPGEMM_STRANGER) return false;
    }
    return true;
}

#endif

/* places[p] := the entry of C's row that multiplication p belongs to. The row has been computed;
 * the places are found by way of the window's sums, which are -0 before and after. */
TULLE__INLINED void NAME(script_write)(const tulle__spgemm_task *task, const NAME(window) * window,
                                       const tulle__spgemm_row *row, int64_t length,
                                       const INDEX *cols, uint16_t *places) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const int64_t base = row->base;
    VALUE *sums = window->sums;
    for (int64_t k = 0; k < length; k++) sums[cols[k] - base] = (VALUE)k;
    for (int64_t e = row->begin; e < row->end; e++) {
        for (int64_t f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            *places++ = (uint16_t)sums[b_cols[f] - base];
        }
    }
    for (int64_t k = 0; k < length; k++) sums[cols[k] - base] = -(VALUE)0;
}

/* Computes row i, which is kin of the row before, whose columns end where this one's begin. */
TULLE__INLINED void NAME(script_row)(const tulle__spgemm_task *task, const uint16_t *places,
                                     int64_t i, INDEX more, int64_t length, VALUE alpha,
                                     INDEX *cols, VALUE *restrict values) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    const INDEX *before = cols - length;
    for (int64_t k = 0; k < length; k++) cols[k] = before[k] + more;
    for (int64_t k = 0; k < length; k++) values[k] = -(VALUE)0;
    for (int64_t e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        VALUE factor = a_values[e];
        int64_t first = b_offsets[a_cols[e]], count = b_offsets[a_cols[e] + 1] - first;
        for (int64_t f = 0; f < count; f++) values[places[f]] += factor * b_values[first + f];
        places += count;
    }
    for (int64_t k = 0; k < length; k++) values[k] *= alpha;
}
