/* SPDX-License-Identifier: Apache-2.0 */
/* Compares C, row by row, with a definition of each row in long double: the pattern exactly, and
 * values by their bound. All checks of sparse matrices share this. */
#ifndef TOOL_VERIFY_ROWS_H
#define TOOL_VERIFY_ROWS_H

#include <math.h>

#include "tools/common/csr.h"

/* The worst entry of C, in units of its error bound. */
typedef struct tool_entry_error {
    double units;        /* at most 1: C is right */
    int64_t row, column; /* row and column of that entry; -1: there is none */
    double got, want;    /* value of that entry, and the right value, where the pattern is right */
    const char *fault;   /* fault of the pattern, worded to stand behind "C[i, j]"; NULL: none */
} tool_entry_error;

/* The first says that no error was found so far; the second, that the pattern has a fault at an
 * entry. */
static inline tool_entry_error tool_entry_right(void) {
    return (tool_entry_error){.units = 0, .row = -1, .column = -1};
}
static inline tool_entry_error tool_entry_fault(int64_t row, int64_t column, const char *fault) {
    return (tool_entry_error){
        .units = INFINITY, .row = row, .column = column, .got = NAN, .want = NAN, .fault = fault};
}

/* One entry by definition: the sum of its terms and the sum of their magnitudes, the number of
 * terms, and the number of terms of a second kind among them, which may have sums of their own. The
 * number of terms becomes negative once C was seen to have the entry. */
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

/* Returns alpha or beta rounded to the type, the number that kernels multiply by. The result is a
 * long double: GCC 12 leaves out the rounding when two doubles are rounded at once. */
static inline long double tool_rounded(tulle_type type, double number) {
    if (type == TULLE_F64) return number;
    return (float)number;
}

/* Returns the cell of a column and counts one more term there. */
static inline tool_cell *tool_row_touch(tool_row *row, int64_t column) {
    tool_cell *cell = &row->cell[column];
    if (cell->terms == 0) row->touched[row->count++] = column;
    cell->terms++;
    return cell;
}

/* Defines the right C: its shape, a function that fills row i, a function that says how far a value
 * is off, and about how many terms all rows have. `shape` and `empty` are the faults, worded to
 * stand behind "C[i, j]", for a wrong shape and for an entry where there should be none. */
typedef struct tool_definition {
    int64_t rows, cols;
    double terms;
    const char *shape, *empty;
    bool rising; /* the columns of each row of C must rise */
    const void *user;
    void (*fill)(const void *user, int64_t i, tool_row *row);
    double (*units)(const void *user, const tool_cell *cell, double got, double *want);
} tool_definition;

/* Compares C, a CSR, with a dense accumulator for each thread. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify_rows(const tool_definition *definition, const tool_csr *C,
                              tool_entry_error *found);

/* Returns the bytes that the check takes, where C has so many columns; at most INT64_MAX. */
int64_t tool_verify_rows_bytes(int64_t cols);

/* Returns op(A) as a CSR matrix that is not transposed: A itself, borrowed, or its entries sorted
 * by row, where entries of a row keep their order. To be closed. */
tool_csr tool_rows_of(const tool_csr *A, tulle_trans op);

/* Returns the bytes that tool_rows_of takes beside A's own: A is sorted where it is transposed
 * (turned), or DCSR (compressed). */
int64_t tool_rows_of_bytes(int64_t rows, int64_t nnz, bool turned, bool compressed);

#endif
