/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C whose columns lie within two words of 64: the pattern is in registers, so that no
 * multiplication waits until the mark of the one before is in memory, and B's rows are read once.
 * Once for each type combination: the include guard is only around lines that are the same for all.
 */
#ifndef TULLE_SPGEMM_CPU_NARROW_H
#define TULLE_SPGEMM_CPU_NARROW_H

#include "spgemm/cpu/colset.h"

enum { TULLE__NARROW_COLUMNS = 2 * 64 };

/* A set of 128 columns: those below 64, and the others. */
typedef struct tulle__narrow_set {
    uint64_t low, high;
} tulle__narrow_set;

/* Adds a column without a branch that depends on its place. */
TULLE__INLINED void tulle__narrow_add(tulle__narrow_set *set, int64_t column) {
    const uint64_t bit = UINT64_C(1) << (column & 63), is_high = -((uint64_t)column >> 6);
    set->low |= bit & ~is_high;
    set->high |= bit & is_high;
}

static inline bool tulle__narrow_has(const tulle__spgemm_words *words,
                                     const tulle__spgemm_row *row) {
    return row->span <= TULLE__NARROW_COLUMNS && !words->offsets;
}

#endif

TULLE__INLINED int64_t NAME(narrow_count)(const tulle__spgemm_task *task,
                                          const tulle__spgemm_row *row) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    tulle__narrow_set set = {0, 0};
    for (int64_t e = row->begin; e < row->end; e++) {
        for (OFFSET f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            tulle__narrow_add(&set, b_cols[f] - row->base);
        }
    }
    return __builtin_popcountll(set.low) + __builtin_popcountll(set.high);
}

/* Computes a row; returns the number of its entries. */
TULLE__INLINED int64_t NAME(narrow_row)(const tulle__spgemm_task *task, const NAME(window) * window,
                                        const tulle__spgemm_row *row, VALUE alpha, INDEX *cols,
                                        VALUE *values) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    VALUE *restrict sums = window->sums;
    const int64_t base = row->base;
    tulle__narrow_set set = {0, 0};
    for (int64_t e = row->begin; e < row->end; e++) {
        VALUE factor = a_values[e];
        for (OFFSET f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            int64_t j = b_cols[f] - base;
            tulle__narrow_add(&set, j);
            sums[j] += factor * b_values[f];
        }
    }
    uint32_t list[TULLE__NARROW_COLUMNS + TULLE__COLSET_STEP];
    int64_t length = tulle__colset_spread(set.low, 0, list);
    length += tulle__colset_spread(set.high, 64, list + length);
    for (int64_t k = 0; k < length; k++) {
        cols[k] = (INDEX)(base + list[k]);
        values[k] = alpha * sums[list[k]];
        sums[list[k]] = -(VALUE)0;
    }
    return length;
}
