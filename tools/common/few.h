/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of hypersparse matrices: the rows and columns that have entries get new numbers, in their
 * order, so that no check has a table of all of them. */
#ifndef TOOL_FEW_H
#define TOOL_FEW_H

#include "tools/common/verify_rows.h"

/* Rows or columns that several matrices have in common. */
typedef struct tool_axis {
    int64_t size;     /* all of them; set by the caller */
    bool few;         /* they get new numbers */
    int64_t count;    /* those that have entries, */
    int64_t *numbers; /* and which they are, rising */
} tool_axis;

/* A matrix, as it is stored, and what its rows and columns are. */
typedef struct tool_axes_of {
    const tool_csr *A;
    tool_axis *rows, *cols;
} tool_axes_of;

/* The first is true if so many rows or columns, which have so many entries in all operands, get new
 * numbers; the second says how many of these there are at most, else all. */
bool tool_are_few(int64_t size, int64_t entries);
int64_t tool_few_of(int64_t size, int64_t entries);

/* Makes matrices with new numbers, to be freed by tool_few_end, where rows or columns of the
 * operands are few; the last matrix is the result, which is not counted. Returns whether it did. */
bool tool_few_begin(const tool_axes_of *m, int count, tool_csr *small);
void tool_few_end(const tool_axes_of *m, int count, tool_csr *small);

/* The old numbers of an error's row and column. */
void tool_few_place(const tool_axis *rows, const tool_axis *cols, tool_entry_error *error);

#endif
