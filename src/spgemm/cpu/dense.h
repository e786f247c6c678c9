/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C in a dense accumulator: a window with one sum for each column, which begins at the
 * first column of the row, so that the next row finds the same memory in the cache. The pattern
 * of the row is a set of columns (colset.h), so that sums need no marks. Between rows all sums
 * are -0: adding the first term gives the term itself, whatever its sign. Rows of A with the
 * same columns are computed side by side, each in a lane of a vector. This file has no include
 * guard, because it is included once for each type combination. */
#include "spgemm/cpu/colset.h"
#include "spgemm/cpu/lanes.h"
#include "spgemm/cpu/words.h"

typedef struct NAME(window) {
    tulle__colset set;
    VALUE *sums;        /* sums of a window, where there are no lanes; else the same memory as
                           `wide` */
    NAME(lanes) * wide; /* sums of several rows side by side; NULL: no lanes */
    uint32_t *list;     /* columns of a group of words, with room for TULLE__COLSET_LIST */
} NAME(window);

TULLE__INLINED void NAME(mark)(const tulle__spgemm_task *task, const tulle__spgemm_words *words,
                               const tulle__colset *set, const tulle__spgemm_row *row) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const int64_t base = row->base;
    if (words->offsets) {
        const int64_t *offsets = words->offsets, first = base / 64;
        for (int64_t e = row->begin; e < row->end; e++) {
            for (int64_t w = offsets[a_cols[e]]; w < offsets[a_cols[e] + 1]; w++) {
                tulle__colset_add(set, words->word[w] - first, words->bits[w]);
            }
        }
        return;
    }
    /* A local copy of the set: for all that the compiler knows, storing a byte may change any
     * object, but not a local struct. */
    const tulle__colset here = *set;
    for (int64_t e = row->begin; e < row->end; e++) {
        for (OFFSET f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            int64_t j = b_cols[f] - base;
            tulle__colset_add(&here, j >> 6, UINT64_C(1) << (j & 63));
        }
    }
}

/* Computes a row; returns the number of its entries. */
TULLE__INLINED int64_t NAME(dense_row)(const tulle__spgemm_task *task,
                                       const tulle__spgemm_words *words,
                                       const NAME(window) * window, const tulle__spgemm_row *row,
                                       VALUE alpha, INDEX *cols, VALUE *values) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    VALUE *sums = window->sums;
    const int64_t base = row->base;
    NAME(mark)(task, words, &window->set, row);
    for (int64_t e = row->begin; e < row->end; e++) {
        VALUE factor = a_values[e];
        for (OFFSET f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            sums[b_cols[f] - base] += factor * b_values[f];
        }
    }
    const uint32_t *list = window->list;
    int64_t length = 0;
    for (int64_t g = 0; g * TULLE__COLSET_GROUP < row->span; g++) {
        int64_t count = tulle__colset_list(&window->set, g, window->list);
        for (int64_t k = 0; k < count; k++) {
            cols[length + k] = (INDEX)(base + list[k]);
            values[length + k] = alpha * sums[list[k]];
            sums[list[k]] = -(VALUE)0;
        }
        length += count;
    }
    return length;
}

/* Computes `rows` rows from row i on, whose rows of A have the same columns; entry k of row r
 * goes to cols[r * length + k]. */
TULLE__INLINED void NAME(dense_twins)(const tulle__spgemm_task *task,
                                      const tulle__spgemm_words *words, const NAME(window) * window,
                                      const tulle__spgemm_row *row, int rows, int64_t length,
                                      VALUE alpha, INDEX *cols, VALUE *values) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    NAME(lanes) *wide = window->wide;
    const int64_t base = row->base, a_length = row->end - row->begin;
    NAME(mark)(task, words, &window->set, row);
    const NAME(lanes) none = {-(VALUE)0, -(VALUE)0, -(VALUE)0, -(VALUE)0};
    for (int64_t e = row->begin; e < row->end; e++) {
        NAME(lanes) factors = {0};
        for (int r = 0; r < rows; r++) factors[r] = a_values[e + r * a_length];
        for (OFFSET f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            wide[b_cols[f] - base] += factors * b_values[f];
        }
    }
    const uint32_t *list = window->list;
    for (int64_t g = 0; g * TULLE__COLSET_GROUP < row->span; g++) {
        int64_t count = tulle__colset_list(&window->set, g, window->list);
        for (int64_t k = 0; k < count; k++) {
            for (int r = 0; r < rows; r++) {
                cols[r * length + k] = (INDEX)(base + list[k]);
                values[r * length + k] = alpha * wide[list[k]][r];
            }
            wide[list[k]] = none;
        }
        cols += count;
        values += count;
    }
}

/* Bytes of a window of so many columns, a multiple of TULLE__COLSET_GROUP; in multiples of 64. */
static inline int64_t NAME(window_bytes)(int64_t columns, bool lanes) {
    int64_t sums = columns * (int64_t)sizeof(VALUE) * (lanes ? TULLE__LANES : 1);
    return sums + columns / 8 + columns / 64 +
           (TULLE__COLSET_LIST * (int64_t)sizeof(uint32_t) + 63) / 64 * 64;
}

static inline NAME(window) NAME(window_in)(char *memory, int64_t columns, bool lanes) {
    NAME(window) window = {.sums = (VALUE *)(void *)memory};
    int64_t count = columns * (lanes ? TULLE__LANES : 1);
    if (lanes) window.wide = (NAME(lanes) *)(void *)memory;
    window.set.words = (uint64_t *)(void *)(window.sums + count);
    window.set.touched = (uint8_t *)(window.set.words + columns / 64);
    window.list = (uint32_t *)(void *)(window.set.touched + columns / 64);
    for (int64_t k = 0; k < count; k++) window.sums[k] = -(VALUE)0;
    memset(window.set.words, 0, (size_t)columns / 8);
    memset(window.set.touched, 0, (size_t)columns / 64);
    return window;
}
