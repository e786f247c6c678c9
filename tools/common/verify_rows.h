/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of sparse matrices share this: C, row by row, against what a definition says of each row
 * in long double, the pattern exactly and values by their bound. */
#ifndef TOOL_VERIFY_ROWS_H
#define TOOL_VERIFY_ROWS_H

#include <math.h>

#include "tools/common/csr.h"

/* The worst entry of C, in units of its error bound. */
typedef struct tool_entry_error {
    double units;        /* at most 1: C is right */
    int64_t row, column; /* where; -1: nowhere */
    double got, want;    /* there, where the pattern is right */
    const char *fault;   /* what is wrong with the pattern there, behind "C[i, j]"; NULL: nothing */
} tool_entry_error;

/* Nothing is wrong, as far as was looked; what is wrong with the pattern there. */
static inline tool_entry_error tool_entry_right(void) {
    return (tool_entry_error){.units = 0, .row = -1, .column = -1};
}
static inline tool_entry_error tool_entry_fault(int64_t row, int64_t column, const char *fault) {
    return (tool_entry_error){
        .units = INFINITY, .row = row, .column = column, .got = NAN, .want = NAN, .fault = fault};
}

/* One entry by definition: the sum of its terms and of their magnitudes, how many there are, and of
 * these how many of a second kind, which may have sums of their own; -how many, of all, once C was
 * seen to have it. */
typedef struct tool_cell {
    long double sum, mass, second_sum, second_mass;
    int64_t terms, seconds;
} tool_cell;

/* A row of C by definition: a cell for each column, and the columns that have terms. */
typedef struct tool_row {
    tool_cell *cell;
    int64_t *touched;
    int64_t count;
} tool_row;

/* alpha or beta as a number of the type, which is what is multiplied by. A long double: of two
 * doubles at once GCC 12 leaves out the rounding. */
static inline long double tool_rounded(tulle_type type, double number) {
    if (type == TULLE_F64) return number;
    return (float)number;
}

/* The cell of a column, which has a term now. */
static inline tool_cell *tool_row_touch(tool_row *row, int64_t column) {
    tool_cell *cell = &row->cell[column];
    if (cell->terms == 0) row->touched[row->count++] = column;
    cell->terms++;
    return cell;
}

/* Defines what C should be: its shape, how to fill row i, how far a value is off, and about how
 * many terms all rows have. shape, empty: what is said, behind "C[i, j]", of a wrong shape, and of
 * an entry where there is none. */
typedef struct tool_definition {
    int64_t rows, cols;
    double terms;
    const char *shape, *empty;
    bool rising; /* the columns of each row of C must be */
    const void *user;
    void (*fill)(const void *user, int64_t i, tool_row *row);
    double (*units)(const void *user, const tool_cell *cell, double got, double *want);
} tool_definition;

/* Compares C, a CSR, with a dense accumulator for each thread. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_rows(const tool_definition *definition, const tool_csr *C,
                              tool_entry_error *found);

/* The memory that takes, where C has so many columns; at most INT64_MAX. */
int64_t tool_verify_rows_bytes(int64_t cols);

/* op(A) as a CSR that is not turned: A itself, looked at, or its entries sorted by row, which keep
 * their order; to be closed. */
tool_csr tool_rows_of(const tool_csr *A, tulle_trans op);

/* The memory that takes beside A's own: it is sorted where A is turned, or DCSR (compressed). */
int64_t tool_rows_of_bytes(int64_t rows, int64_t nnz, bool turned, bool compressed);

#endif
