/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of distributed matrices: local matrices of them in the place's memory, and rows at the edges
 * of processes in host memory, where their structure is worked on. */
#ifndef TULLE_DIST_ROWS_H
#define TULLE_DIST_ROWS_H

#include "dist/dist.h"
#include "dist/join.h"

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

/* Rows that came from other processes, with columns of the whole matrix. Zeros are rows that have
 * not come. */
typedef struct tulle__guests {
    int64_t rows, nnz;
    tulle_type type;
    int64_t *offsets; /* in host memory; owned */
    int64_t *columns; /* in the place's memory, as are values; owned */
    void *values;
} tulle__guests;

/* Fetches rows of a distributed matrix from their owners: those that `halo` names. here: status of
 * this process so far. Communicates. After a failure *came is still to be freed. */
tulle_status tulle__rows_fetch(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                               const tulle__halo *halo, tulle__guests *came);
void tulle__guests_free(tulle_ctx *ctx, tulle__guests *g);

/* Joins the rows that a job lists, one after the other. After a failure *joined is still to be
 * freed. */
tulle_status tulle__guests_join(tulle_ctx *ctx, tulle__join_job *job, tulle__guests *joined);

/* Sends rows to the processes that `halo` names, and receives theirs. here: status of this process
 * so far. Communicates. After a failure *came is still to be freed. */
tulle_status tulle__rows_send(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__halo *halo, tulle__guests *went, tulle__guests *came);

/* Fetches the values of rows that have been fetched, of the pattern that they had. */
tulle_status tulle__rows_fetch_values(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                                      const tulle__halo *halo, tulle__guests *came);

/* Columns of a whole matrix that a process deals with, numbered anew and in their order: the other
 * ones below its own, all of its own, and the other ones above. */
typedef struct tulle__columns {
    int64_t begin, end;    /* first own column, and the end of the own columns */
    const int64_t *others; /* other columns, ascending */
    int64_t count, lower;  /* number of the others, and of those below the own columns */
    int64_t *made;         /* the others, where they are owned; else NULL */
} tulle__columns;

/* Returns the numbering of the columns that this process's rows of A have, and of all own ones, as
 * long as there is A. */
tulle__columns tulle__columns_of(const tulle_dist_mat *A);

/* Make the numbering of A's columns and of all columns of rows that came, or that B has. */
tulle_status tulle__columns_with(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__guests *came,
                                 tulle__columns *made);
tulle_status tulle__columns_of_both(tulle_ctx *ctx, const tulle_dist_mat *A,
                                    const tulle_dist_mat *B, tulle__columns *made);
void tulle__columns_free(tulle_ctx *ctx, tulle__columns *c);

/* Lists the columns of rows that came, but for those from `begin` to `end` - 1, of a whole matrix
 * with so many columns: *others, ascending, each once, in host memory that the caller frees. */
tulle_status tulle__columns_list(tulle_ctx *ctx, const tulle__guests *came, int64_t begin,
                                 int64_t end, int64_t all, int64_t **others, int64_t *count);

/* Number of all columns. */
static inline int64_t tulle__columns_all(const tulle__columns *c) {
    return c->end - c->begin + c->count;
}

/* Makes a local matrix of this process's rows of A, with columns numbered by `cols`, which has all
 * of A's other columns. */
tulle_status tulle__local_own(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__columns *cols,
                              tulle_mat **L);

/* Makes a local matrix whose rows are numbered by `names` and columns by `cols`: this process's
 * rows of A, and those of `came`, rows of the same matrix, row k of which is number came_names[k]
 * of the whole, ascending. Other rows are empty. Where A's rows rise in all processes, those that
 * came are not looked at. */
tulle_status tulle__local_stack(tulle_ctx *ctx, const tulle_dist_mat *A,
                                const tulle__columns *names, const tulle__guests *came,
                                const int64_t *came_names, const tulle__columns *cols,
                                tulle_mat **L);

/* Makes a matrix of rows that came, with columns numbered by `cols`. rising: true where the columns
 * of each row are known to rise. */
tulle_status tulle__local_guests(tulle_ctx *ctx, const tulle__guests *came,
                                 const tulle__columns *cols, bool rising, tulle_mat **L);

/* Returns the narrowest index type for a matrix in CSR. */
tulle_index tulle__local_index(int64_t rows, int64_t cols, int64_t nnz);

/* Rows of a local matrix that are to be this process's rows of a distributed one. */
typedef struct tulle__local_part {
    const tulle_mat *A;
    int64_t first, rows;         /* first row of A, and number of rows */
    const tulle__columns *names; /* numbers of A's columns in the whole matrix */
    int64_t cols;                /* number of own columns */
} tulle__local_part;

/* Makes a distributed matrix of the rows that all processes give. here: status of this process so
 * far; the part is only looked at where all fare well. Communicates. */
tulle_status tulle__local_share(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                                const tulle__local_part *part, tulle_dist_mat **A);

/* Begins the joining of rows of A: where they go is the caller's to say. names: new numbers of the
 * edge's columns, in host memory, which are copied to *scratch, to be freed by the caller. */
tulle_status tulle__join_begin(tulle_ctx *ctx, const tulle_dist_mat *A, const int64_t *names,
                               tulle__join_job *job, void **scratch);

/* Counts the entries of the rows that a job lists: makes their offsets in *offsets, host memory
 * that the caller frees. Waits. */
tulle_status tulle__join_count(tulle_ctx *ctx, const tulle__join_job *job, int64_t **offsets);

/* Check the operands of a function of two matrices, and where the result goes. */
tulle_status tulle__dist_check_pair(const char *function, const tulle_ctx *ctx,
                                    const tulle_dist_mat *A, const char *name,
                                    const tulle_dist_mat *B, tulle_dist_mat **C);

#endif
