/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern as functions are given it: its numbers, its arrays, and what is known of its rows. */
#ifndef TULLE_FORMAT_VIEW_H
#define TULLE_FORMAT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "format/arrays.h"
#include "tulle/formats.h"
#include "tulle/types.h"

/* What one pass over a pattern finds out: whether it is valid, and its statistics. Mirrors
 * tulle_mat_info. */
typedef struct tulle__stats {
    int64_t bad_row;   /* first row (COO: entry) at fault, or -1; offsets are judged before columns,
                          and in COO the row of an entry before its column */
    int64_t bad_value; /* the offset or index at fault, base 0 */
    int bad_kind;      /* TULLE__BAD_... */
    bool sorted;       /* neighbours never fall; equal ones (repeated entries) are fine */
    bool rising;       /* neighbours rise: sorted, and no entry is repeated */
    int64_t min_row, max_row, empty_rows, bandwidth;
    double mean_row, sd_row;
    int64_t row_histogram[33];
} tulle__stats;

enum {
    TULLE__BAD_NONE = 0,
    TULLE__BAD_FIRST_OFFSET, /* offsets[0] is not 0 */
    TULLE__BAD_FALLING,      /* offsets[bad_row + 1] < offsets[bad_row] */
    TULLE__BAD_LAST_OFFSET,  /* offsets[rows] is not nnz */
    TULLE__BAD_COLUMN,       /* a column of bad_row is out of range */
    TULLE__BAD_ROW,          /* the row index of entry bad_row is out of range */
    /* Formats other than COO and CSR; bad_row is an element of the array at fault, or a position.
     */
    TULLE__BAD_OFFSET,  /* offsets do not start at 0, fall, end elsewhere, or do not fit a slice */
    TULLE__BAD_INDEX,   /* cols: a column, block column or diagonal out of range */
    TULLE__BAD_PADDING, /* cols: an entry behind padding in its row */
    TULLE__BAD_ASCENT,  /* cols: diagonals, or block columns of a block row, do not ascend */
    TULLE__BAD_TAIL,    /* rows: a tail's row falls or is out of range */
    TULLE__BAD_ORDER,   /* order: no permutation of the rows */
    TULLE__BAD_LENGTH,  /* lengths: not the entries of the row */
    TULLE__BAD_MASK,    /* mask: a bit for a slot outside the matrix */
    TULLE__BAD_CODES    /* mask: codes of a line that lie outside codes */
};

/* A pattern, for functions that read one; tulle/formats.h says which arrays a format has. */
typedef struct tulle__pattern_view {
    int64_t rows, cols, nnz;
    tulle_format format;
    tulle_index index;
    TULLE__EACH_ARRAY(TULLE__ARRAY_READ)
    tulle_storage storage;
} tulle__pattern_view;

/* The arrays of a pattern in the making, for functions that fill them. */
typedef struct tulle__pattern_arrays {
    TULLE__EACH_ARRAY(TULLE__ARRAY_FILLED)
} tulle__pattern_arrays;

#endif
