/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of distributed matrices in host memory, where their structure is worked on. */
#ifndef TULLE_DIST_ROWS_H
#define TULLE_DIST_ROWS_H

#include "dist/dist.h"

/* Rows in CSR, in host memory; owned by whoever made them. Zeros are rows that are not made yet. */
typedef struct tulle__rows {
    int64_t rows;
    tulle_type type;
    int64_t *offsets, *columns;
    void *values;
} tulle__rows;

/* Makes arrays of zeros for so many entries. After a failure they are still to be freed. */
tulle_status tulle__rows_make(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t nnz,
                              tulle__rows *made);
void tulle__rows_free(tulle_ctx *ctx, tulle__rows *r);

/* Read a matrix, and this process's rows of a distributed one with columns of the whole matrix.
 * Columns that ascended when that was made ascend. They wait, and do not communicate. */
tulle_status tulle__rows_of_mat(tulle_ctx *ctx, const tulle_mat *A, tulle__rows *r);
tulle_status tulle__rows_of_dist(tulle_ctx *ctx, const tulle_dist_mat *A, tulle__rows *all);

/* Makes a matrix in CSR of rows, with 32-bit numbers where they suffice. */
tulle_status tulle__rows_to_mat(tulle_ctx *ctx, const tulle__rows *r, int64_t cols, tulle_mat **A);

/* Collects the rows of all processes, of which this one has `own`, in one process (root -1: in
 * all); *all, zeros before, is then made there, with values where these are wanted. here: status of
 * this process so far. Communicates. */
tulle_status tulle__rows_collect(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                                 int root, const tulle__rows *own, bool values, tulle__rows *all);

/* Fetches rows of a matrix from their owners: *came has the rows that `halo` names, whose own rows
 * are `own` in all processes. here: status of this process so far. Communicates. */
tulle_status tulle__rows_fetch(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                               const tulle__halo *halo, const tulle__rows *own, tulle__rows *came);

/* Fetches the values of rows that have been fetched, from rows of the pattern that they had. */
tulle_status tulle__rows_fetch_values(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                                      const tulle__halo *halo, const tulle__rows *own,
                                      tulle__rows *came);

/* Columns of a whole matrix that a process deals with, numbered anew and in their order: the other
 * ones below its own, all of its own, and the other ones above. */
typedef struct tulle__columns {
    int64_t begin, end;   /* first own column, and the end of the own columns */
    int64_t *others;      /* other columns, ascending; owned */
    int64_t count, lower; /* number of the others, and of those below the own columns */
} tulle__columns;

/* Makes the numbering of own columns begin to end - 1 and of all columns of two sets of rows, of
 * which the second may be NULL. */
tulle_status tulle__columns_make(tulle_ctx *ctx, int64_t begin, int64_t end, const tulle__rows *a,
                                 const tulle__rows *b, tulle__columns *made);
void tulle__columns_free(tulle_ctx *ctx, tulle__columns *c);

/* Number of all columns; the new number of a column, which must be one of them; the column of a new
 * number. */
static inline int64_t tulle__columns_all(const tulle__columns *c) {
    return c->end - c->begin + c->count;
}
int64_t tulle__columns_place(const tulle__columns *c, int64_t column);
static inline int64_t tulle__columns_name(const tulle__columns *c, int64_t place) {
    if (place < c->lower) return c->others[place];
    const int64_t own = c->end - c->begin;
    return place < c->lower + own ? c->begin + place - c->lower : c->others[place - own];
}

/* Makes a local matrix whose rows are numbered by `names` and columns by `cols`: this process's
 * rows, and those of `came`, row k of which is number came_names[k] of the whole, ascending. Other
 * rows are empty. */
tulle_status tulle__rows_stack(tulle_ctx *ctx, const tulle__columns *names, const tulle__rows *own,
                               const tulle__rows *came, const int64_t *came_names,
                               const tulle__columns *cols, tulle_mat **A);

/* Rows of a local matrix that are to be this process's rows of a distributed one. */
typedef struct tulle__local_part {
    const tulle_mat *A;
    int64_t first, rows;         /* first row of A, and number of rows */
    const tulle__columns *names; /* numbers of A's columns in the whole matrix */
    int64_t cols;                /* number of own columns */
} tulle__local_part;

/* Makes a distributed matrix of the rows that all processes give. here: status of this process so
 * far; the part is only looked at where all fare well. Communicates. */
tulle_status tulle__rows_share(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                               const tulle__local_part *part, tulle_dist_mat **A);

/* Check the operands of a function of two matrices, and where the result goes. */
tulle_status tulle__dist_check_pair(const char *function, const tulle_ctx *ctx,
                                    const tulle_dist_mat *A, const char *name,
                                    const tulle_dist_mat *B, tulle_dist_mat **C);

#endif
