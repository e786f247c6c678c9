/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C with few multiplications in a wide range of columns. The columns are listed as they
 * come, each with its sum, and an array says at which place of the list a column is. Places count
 * on from row to row, so that what earlier rows left is less than a row's first place and needs no
 * clearing. No branch depends on the columns, which cannot be foreseen. In the end the list is
 * sorted: a short one by ranks, a long one by a set of columns. This file has no include guard,
 * because it is included once for each type combination. */
#include "spgemm/cpu/ranks.h"

typedef struct NAME(marks) {
    int64_t columns;  /* number of columns of a window */
    int64_t most;     /* places after which those of all columns are cleared */
    uint32_t *places; /* place of each column, in the last row that had it */
    uint32_t *next;   /* the first place that no row has had, and padding */
    int32_t *list;    /* the row's columns less its base, and room for a block of ranks.h */
    VALUE *sums;      /* the sum of each column of the list; all -0 between rows */
} NAME(marks);

/* Bytes of the marks for a window of so many columns, in multiples of 64; none for no columns. */
static inline int64_t NAME(marks_bytes)(int64_t columns) {
    const int64_t list = TULLE__SPGEMM_FEW + TULLE__RANKS_LANES, padded = TULLE__RANKS_LANES;
    if (columns == 0) return 0;
    return TULLE__SPGEMM_FEW * (int64_t)sizeof(VALUE) + list * (int64_t)sizeof(int32_t) +
           (padded + columns) * (int64_t)sizeof(uint32_t);
}

static inline NAME(marks) NAME(marks_in)(char *memory, int64_t columns) {
    const int64_t seldom = 16 * columns, most = UINT32_MAX - TULLE__SPGEMM_FEW;
    NAME(marks) marks = {.columns = columns, .most = seldom < most ? seldom : most};
    if (columns == 0) return marks;
    marks.sums = (VALUE *)(void *)memory;
    marks.list = (int32_t *)(void *)(marks.sums + TULLE__SPGEMM_FEW);
    marks.next = (uint32_t *)(void *)(marks.list + TULLE__SPGEMM_FEW + TULLE__RANKS_LANES);
    marks.places = marks.next + TULLE__RANKS_LANES;
    for (int64_t k = 0; k < TULLE__SPGEMM_FEW; k++) marks.sums[k] = -(VALUE)0;
    memset(marks.places, 0, (size_t)columns * sizeof *marks.places);
    *marks.next = 1;
    return marks;
}

/* Returns the place of a row's first column, behind the places of all rows before. */
TULLE__INLINED uint32_t NAME(marks_begin)(const NAME(marks) * marks) {
    if (*marks->next > marks->most) {
        memset(marks->places, 0, (size_t)marks->columns * sizeof *marks->places);
        *marks->next = 1;
    }
    return *marks->next;
}

/* Counts the columns of a row. */
TULLE__INLINED int64_t NAME(marks_count)(const tulle__spgemm_task *task, const NAME(marks) * marks,
                                         const tulle__spgemm_row *row) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    uint32_t *places = marks->places;
    const uint32_t first = NAME(marks_begin)(marks);
    const INDEX base = (INDEX)row->base;
    uint32_t count = 0;
    for (int64_t e = row->begin; e < row->end; e++) {
        const OFFSET end = b_offsets[a_cols[e] + 1];
        for (OFFSET f = b_offsets[a_cols[e]]; f < end; f++) {
            uint32_t *place = places + (b_cols[f] - base);
            count += *place < first;
            *place = first;
        }
    }
    *marks->next = first + 1; /* all columns have the first place here */
    return count;
}

/* Lists the columns of a row, and adds up their sums; returns the number of columns. */
TULLE__INLINED int64_t NAME(marks_sum)(const tulle__spgemm_task *task, const NAME(marks) * marks,
                                       uint32_t first, const tulle__spgemm_row *row) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    uint32_t *restrict places = marks->places;
    int32_t *restrict list = marks->list;
    VALUE *restrict sums = marks->sums;
    const INDEX base = (INDEX)row->base;
    uint32_t count = 0;
    for (int64_t e = row->begin; e < row->end; e++) {
        const VALUE factor = a_values[e];
        const OFFSET end = b_offsets[a_cols[e] + 1];
        for (OFFSET f = b_offsets[a_cols[e]]; f < end; f++) {
            const int32_t column = (int32_t)(b_cols[f] - base);
            uint32_t at = places[column] - first; /* huge where the column is not in the list */
            const bool fresh = at >= count;
            at = fresh ? count : at;
            count += fresh;
            places[column] = first + at;
            list[at] = column;
            sums[at] += factor * b_values[f];
        }
    }
    return count;
}

/* Stores a row whose few columns are listed, and clears the sums. */
TULLE__INLINED void NAME(marks_rank)(const NAME(marks) * marks, int64_t count, INDEX base,
                                     VALUE alpha, INDEX *cols, VALUE *values) {
    int32_t ranks[TULLE__RANKS_MOST];
    tulle__ranks_of(marks->list, count, ranks);
    for (int64_t k = 0; k < count; k++) {
        cols[ranks[k]] = base + (INDEX)marks->list[k];
        values[ranks[k]] = alpha * marks->sums[k];
        marks->sums[k] = -(VALUE)0;
    }
}

/* Stores a row whose columns, listed with places from `first` on, are put into the window's set. */
TULLE__INLINED void NAME(marks_put)(const NAME(marks) * marks, const NAME(window) * window,
                                    const tulle__spgemm_row *row, int64_t count, uint32_t first,
                                    VALUE alpha, INDEX *cols, VALUE *values) {
    const tulle__colset set = window->set;
    const uint32_t *list = window->list;
    for (int64_t k = 0; k < count; k++) {
        tulle__colset_add(&set, marks->list[k] >> 6, UINT64_C(1) << (marks->list[k] & 63));
    }
    for (int64_t g = 0; g * TULLE__COLSET_GROUP < row->span; g++) {
        const int64_t listed = tulle__colset_list(&set, g, window->list);
        for (int64_t k = 0; k < listed; k++) {
            *cols++ = (INDEX)(row->base + list[k]);
            *values++ = alpha * marks->sums[marks->places[list[k]] - first];
        }
    }
    for (int64_t k = 0; k < count; k++) marks->sums[k] = -(VALUE)0;
}

/* Computes a row; returns the number of its entries. */
TULLE__INLINED int64_t NAME(marks_row)(const tulle__spgemm_task *task, const NAME(marks) * marks,
                                       const NAME(window) * window, const tulle__spgemm_row *row,
                                       VALUE alpha, INDEX *cols, VALUE *values) {
    const uint32_t first = NAME(marks_begin)(marks);
    const int64_t count = NAME(marks_sum)(task, marks, first, row);
    *marks->next = first + (uint32_t)count;
    if (count <= TULLE__RANKS_MOST) {
        NAME(marks_rank)(marks, count, (INDEX)row->base, alpha, cols, values);
    } else {
        NAME(marks_put)(marks, window, row, count, first, alpha, cols, values);
    }
    return count;
}
