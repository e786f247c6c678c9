/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern as functions get it: its numbers, its arrays, and the statistics of its rows. */
#ifndef TULLE_FORMAT_VIEW_H
#define TULLE_FORMAT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "format/arrays.h"
#include "tulle/formats.h"
#include "tulle/types.h"

/* The result of one pass over a pattern: its first fault, and its statistics. The members mirror
 * tulle_mat_info. */
typedef struct tulle__stats {
    /* first row (COO: entry) at fault, or -1. Offsets are judged before columns, and in COO the row
     * of an entry before its column */
    int64_t bad_row;
    int64_t bad_value; /* offset or index at fault, from 0 on */
    int bad_kind;      /* kind of the fault: TULLE__BAD_... */
    /* true when columns never fall within a row; equal ones (repeated entries) are allowed */
    bool sorted;
    /* true when columns rise within each row: they are sorted, and no entry is repeated */
    bool rising;
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
    /* The following faults are of formats other than COO and CSR; bad_row is an element of the
     * array at fault, or a position. */
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

/* The arrays of a pattern that is being made, for functions that fill them. */
typedef struct tulle__pattern_arrays {
    TULLE__EACH_ARRAY(TULLE__ARRAY_FILLED)
} tulle__pattern_arrays;

#endif
