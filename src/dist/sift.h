/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a local matrix as two matrices: entries in own columns, entries in other ones. The same
 * lines on every device. */
#ifndef TULLE_DIST_SIFT_H
#define TULLE_DIST_SIFT_H

#include "core/access.h"
#include "format/view.h"

TULLE_BEGIN

/* One of the two matrices in the making, in CSR; arrays are in the place's memory. */
typedef struct tulle__sifted {
    int64_t offset_size, index_size; /* bytes of its numbers */
    void *offsets, *cols_of, *values;
} tulle__sifted;

/* The columns of the local matrix are other ones below the own ones, own ones, and other ones
 * above. A first pass counts, a second one writes. Arrays are in the place's memory. */
typedef struct tulle__sift_job {
    tulle__pattern_view local;
    const void *values;
    tulle_type type;
    int64_t first, rows;  /* first row of the local matrix that is taken, and number of rows */
    int64_t lower, own;   /* number of columns before the own ones, and of own ones */
    int64_t *rows_before; /* [rows + 1] number of rows before that have entries in other columns */
    int64_t *entries_before; /* [rows + 1] number of these entries before the row */
    int *used;               /* [local.cols - own] 1: the other column has entries; zeros before */
    const int64_t *names;    /* new numbers of the other columns that have entries */
    tulle__sifted block, edge;
    int64_t *edge_row; /* becomes the rows of the edge */
} tulle__sift_job;

/* Returns the number of an other column among these, or -1 for an own column. */
TULLE_INLINE int64_t tulle__other_column(const tulle__sift_job *s, int64_t column) {
    if (column < s->lower) return column;
    return column < s->lower + s->own ? -1 : column - s->own;
}

TULLE_INLINE int64_t tulle__sift_column(const tulle__sift_job *s, int64_t k) {
    return tulle__get(s->local.cols_of, tulle_index_size(s->local.index), k);
}

TULLE_INLINE int64_t tulle__sift_offset(const tulle__sift_job *s, int64_t i) {
    return tulle__get(s->local.offsets, tulle_offset_size(s->local.index), s->first + i);
}

TULLE_INLINE void tulle__put_sifted(const tulle__sift_job *s, const tulle__sifted *to, int64_t at,
                                    int64_t column, int64_t k) {
    tulle__put(to->cols_of, to->index_size, at, column);
    tulle__move_value(s->type, to->values, at, s->values, k);
}

/* Writes the share of one of so many lanes of row i of both matrices; i == rows: the ends of both.
 * Only a row without other columns has shares; else the first lane writes all of it. */
TULLE_INLINE void tulle__sift_row(const tulle__sift_job *s, int64_t i, int64_t lane,
                                  int64_t lanes) {
    const int64_t begin = tulle__sift_offset(s, i);
    const int64_t end = i < s->rows ? tulle__sift_offset(s, i + 1) : begin;
    int64_t e = s->entries_before[i], b = begin - tulle__sift_offset(s, 0) - e;
    const int64_t row = s->rows_before[i];
    const bool has_others = i < s->rows && s->rows_before[i + 1] > row;
    for (int64_t k = begin + lane; !has_others && k < end; k += lanes) {
        tulle__put_sifted(s, &s->block, b + k - begin, tulle__sift_column(s, k) - s->lower, k);
    }
    if (lane > 0) return;
    tulle__put(s->block.offsets, s->block.offset_size, i, b);
    if (has_others) s->edge_row[row] = i;
    if ((has_others || i == s->rows) && s->edge.offsets) {
        tulle__put(s->edge.offsets, s->edge.offset_size, row, e);
    }
    for (int64_t k = begin; has_others && k < end; k++) {
        const int64_t column = tulle__sift_column(s, k), other = tulle__other_column(s, column);
        if (other < 0) {
            tulle__put_sifted(s, &s->block, b++, column - s->lower, k);
        } else {
            tulle__put_sifted(s, &s->edge, e++, s->names[other], k);
        }
    }
}

TULLE_END
#endif
