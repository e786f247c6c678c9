/* SPDX-License-Identifier: Apache-2.0 */
/* A member's rows of a shared matrix and the whole of a vector in host memory, by which results are
 * compared with their definition in long double. */
#ifndef TOOL_SHARED_ROWS_H
#define TOOL_SHARED_ROWS_H

#include "crew.h"

typedef struct tool_shared_rows {
    const tool_member *member;
    tulle_dist_mat_info info;
    int64_t *offsets, *columns; /* the rows in CSR, with columns of the whole matrix */
    void *values;
    int64_t *starts; /* first row of x of each member, and the end of all */
    int64_t most;    /* largest number of rows of x of a member */
    char *x;         /* x: `most` numbers of each member */
    char *own_x;     /* room for those of this one */
} tool_shared_rows;

/* Reads the rows of A. All members call. To be closed, also after a failure. */
tulle_status tool_shared_rows_open(const tool_member *member, const tulle_dist_mat *A,
                                   tool_shared_rows *rows);
void tool_shared_rows_close(tool_shared_rows *rows);

/* Gathers x of all members, of which this one has the numbers `own`. All members call. */
tulle_status tool_shared_rows_gather(tool_shared_rows *rows, const void *own);

/* A row of A x, and the sum of its terms' sizes. */
typedef struct tool_shared_row {
    long double sum, mass;
    int64_t terms;
} tool_shared_row;
tool_shared_row tool_shared_rows_multiply(const tool_shared_rows *rows, int64_t i);

/* Returns a number of an array of the matrix's type. */
long double tool_shared_number(const tool_shared_rows *rows, const void *array, int64_t i);

/* Finds |b - A x| and |b| over the rows of all members, of which this one has the numbers own_b and
 * own_x. All members call. */
tulle_status tool_shared_rows_residual(tool_shared_rows *rows, const void *own_b, const void *own_x,
                                       double *residual, double *b_norm);

/* Finds the norm of |A| |x| + |b|, too. */
tulle_status tool_shared_rows_mass(tool_shared_rows *rows, const void *own_b, const void *own_x,
                                   double *residual, double *b_norm, double *mass);

#endif
