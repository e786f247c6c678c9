/* SPDX-License-Identifier: Apache-2.0 */
/* Helps to check hypersparse matrices: the rows and columns that have entries get new numbers, in
 * their order, so that no check has a table of all rows or columns. */
#ifndef TOOL_FEW_H
#define TOOL_FEW_H

#include "tools/common/verify_rows.h"

/* Holds the rows or columns that several matrices have in common. */
typedef struct tool_axis {
    int64_t size;     /* number of all rows or columns; set by the caller */
    bool few;         /* the rows or columns get new numbers */
    int64_t count;    /* number of rows or columns that have entries */
    int64_t *numbers; /* old numbers of the rows or columns that have entries, rising */
} tool_axis;

/* A matrix, as it is stored, and the axes of its rows and columns. */
typedef struct tool_axes_of {
    const tool_csr *A;
    tool_axis *rows, *cols;
} tool_axes_of;

/* tool_are_few returns true if `size` rows or columns, which have `entries` entries in all
 * operands, get new numbers. tool_few_of returns the most new numbers that there can be; `size`
 * where none are given. */
bool tool_are_few(int64_t size, int64_t entries);
int64_t tool_few_of(int64_t size, int64_t entries);

/* Makes matrices with new numbers, to be freed by tool_few_end, where rows or columns of the
 * operands are few; the last matrix is the result, whose entries do not count. Returns whether new
 * matrices were made. */
bool tool_few_begin(const tool_axes_of *m, int count, tool_csr *small);
void tool_few_end(const tool_axes_of *m, int count, tool_csr *small);

/* Replaces the new numbers of an error's row and column by the old ones. */
void tool_few_place(const tool_axis *rows, const tool_axis *cols, tool_entry_error *error);

#endif
