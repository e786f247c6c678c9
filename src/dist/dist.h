/* SPDX-License-Identifier: Apache-2.0 */
/* A distributed matrix: two local matrices, and the plan by which rows of x travel. */
#ifndef TULLE_DIST_DIST_H
#define TULLE_DIST_DIST_H

#include "comm/comm.h"
#include "operator/linop.h"
#include "tulle/dist.h"

/* Another process, and the rows that go to it or come from it, which follow each other in a
 * multivector of all such rows. */
typedef struct tulle__neighbour {
    int rank;
    int64_t first, rows;
} tulle__neighbour;

/* The halo of x: rows of other processes that this one needs, and its own rows that others need. */
typedef struct tulle__halo {
    int64_t come_rows, go_rows; /* number of rows that come, and of rows that go */
    int come_count, go_count;   /* number of processes from which, and to which */
    tulle__neighbour *come, *go;
    int64_t *go_row;              /* own rows that go, in host memory, [go_rows] */
    void *order;                  /* numbers of go_row in the place's memory, for sending vectors */
    tulle_comm_piece *pieces;     /* pieces of an exchange, [come_count + go_count] */
    tulle__own_vector went, came; /* the rows on their way, row-major */
} tulle__halo;

struct tulle_dist_mat {
    atomic_int owners;
    tulle_ctx *ctx;   /* owned */
    tulle_comm *comm; /* owned */
    tulle_type type;
    int64_t rows, cols, nnz;          /* numbers of this process's rows, columns and entries */
    int64_t all_nnz;                  /* number of entries of the whole matrix */
    bool rising;                      /* true: columns rise within each row, in all processes */
    int64_t *row_starts, *col_starts; /* first row and column of each rank, and their ends, [ranks
                                         + 1] */
    tulle_mat *block;                 /* entries in own columns; owned */
    tulle_linop *inner;               /* the operator of `block`; owned */
    tulle_mat *edge;       /* entries in other columns, of rows that have such; NULL: none; owned */
    tulle_linop *outer;    /* the operator of `edge`; owned */
    tulle_mat *whole_edge; /* all entries of edge's rows, whose columns are the own ones and then
                              edge's, for residuals; NULL: none; owned */
    tulle_linop *rim;      /* the operator of `whole_edge`; owned */
    tulle_linop *back;     /* the operator of edge's transpose, made when first used; owned */
    int64_t edge_rows;
    void *edge_order;  /* the rows of `edge`, int64 in the place's memory, [edge_rows] */
    int64_t *edge_row; /* the rows of `edge` in host memory */
    int64_t *edge_col; /* the columns of `edge` in the whole matrix, ascending, [come_rows] */
    tulle__halo halo;
    tulle__own_vector some;        /* rows of y, x or b of the edge */
    tulle__own_vector wide, exact; /* residuals: x with the rows that came; residual of the edge */
};

/* This process's rows as the caller gives them. */
typedef struct tulle__dist_rows {
    const int64_t *offsets, *columns;
    const void *values;
} tulle__dist_rows;

/* Numbers of rows, columns and entries of a process, and 1 where columns rise within its rows. */
typedef struct tulle__dist_sizes {
    int64_t rows, cols, nnz, rising;
} tulle__dist_sizes;

/* A step that gives a matrix of known sizes its `block` and `edge`, edge_col and edge_row in both
 * memories, and all that tulle__dist_assemble makes of these. Does not communicate. */
typedef tulle_status tulle__dist_fill(tulle_dist_mat *A, const void *given);

typedef struct tulle__dist_making {
    const char *function; /* public function, for the error record; NULL: none */
    const tulle__dist_sizes *own;
    tulle_type type;
    tulle__dist_fill *fill;
    const void *given; /* argument of fill */
} tulle__dist_making;

/* Makes a matrix of what the processes give. here: status of this process so far. Communicates. */
tulle_status tulle__dist_make(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__dist_making *making, tulle_dist_mat **A);

/* Puts the rows of the edge into the place's memory. Waits. */
tulle_status tulle__dist_place_edge(tulle_dist_mat *A);

/* Makes the operators, and `whole_edge`. */
tulle_status tulle__dist_assemble(tulle_dist_mat *A);

/* Brings what was made of both matrices to their new values. Queues work. */
tulle_status tulle__dist_refresh(tulle_dist_mat *A);

/* Makes the matrices, and the operators, of the caller's rows. Does not communicate. */
tulle_status tulle__dist_split(tulle_dist_mat *A, const tulle__dist_rows *given);

/* Gives the matrices new values, from rows with the same offsets and columns. Waits. */
tulle_status tulle__dist_refill(tulle_dist_mat *A, const tulle__dist_rows *given);

/* Pieces that are exchanged; at most one from a process to another one. */
typedef struct tulle__dist_pieces {
    const tulle_comm_piece *sends, *receives;
    int send_count, receive_count;
    bool in_place; /* true: pieces are in the place's memory; false: in the host's */
} tulle__dist_pieces;

/* Exchanges pieces, when all processes have agreed that they fare well; those in the place's memory
 * come in the order of the stream. A piece for this process itself is copied; pieces without bytes
 * do not travel. here: status of this process so far. */
tulle_status tulle__dist_exchange(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                                  const tulle__dist_pieces *pieces);

/* Rows that a process needs, of a matrix or vector whose ranks begin at `starts`: numbers in the
 * whole, ascending. */
typedef struct tulle__halo_needs {
    const int64_t *starts; /* [ranks + 1] */
    const int64_t *rows;   /* [count] */
    int64_t count;
} tulle__halo_needs;

/* Finds the neighbours of a halo of zeros, and the own rows that they need. here: status of this
 * process so far. Communicates. After a failure the halo is still to be released. */
tulle_status tulle__halo_make(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__halo_needs *needs, tulle__halo *halo);

/* Puts the numbers of rows that go into the place's memory, for sending vectors. */
tulle_status tulle__halo_place(tulle_ctx *ctx, tulle__halo *halo);

/* Items of the rows that go and come: those of row k are go_at[k] to go_at[k + 1] - 1; go_at or
 * come_at NULL: item k alone. */
typedef struct tulle__halo_items {
    size_t size;   /* bytes of an item */
    bool in_place; /* true: they are in the place's memory; false: in the host's */
    const int64_t *go_at, *come_at;
    const void *go;
    void *come;
} tulle__halo_items;

/* Sends items to those who need them. here: status of this process so far. */
tulle_status tulle__halo_send(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                              const tulle__halo *halo, const tulle__halo_items *items);
void tulle__halo_release(tulle_ctx *ctx, tulle__halo *halo);

/* Start and end the sending of rows of X; *came then has the rows of other processes. */
tulle_status tulle__halo_start(tulle_ctx *ctx, tulle_dist_mat *A, const tulle_vec *X,
                               tulle_vec *came);
/* Start and end the sending of rows of `from`, as many as come, to where they belong, where they
 * are added to rows of Y. */
tulle_status tulle__halo_start_back(tulle_ctx *ctx, tulle_dist_mat *A, const tulle_vec *from);
tulle_status tulle__halo_add_back(tulle_ctx *ctx, tulle_dist_mat *A, tulle_vec *Y);

/* Ends an exchange, in any case; returns the status of this process so far, or of the exchange. */
tulle_status tulle__halo_finish(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here);

/* Copies edge's rows of `all` to `some`. */
tulle_status tulle__edge_gather(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle_vec *all,
                                tulle_vec *some);

/* Puts the rows of `some` in the place of edge's rows of `all`, or adds them to these. */
tulle_status tulle__edge_scatter(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle_vec *some,
                                 bool adds, tulle_vec *all);

/* Takes memory of an operator for a row-major multivector. */
tulle_status tulle__dist_take(tulle_ctx *ctx, const tulle_dist_mat *A, tulle__own_vector *own,
                              int64_t rows, int64_t cols, tulle_vec *view);

/* Does tulle_dist_mat_multiply without checks. */
tulle_status tulle__dist_multiply(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                  tulle_dist_mat *A, const tulle_vec *X, tulle_scalar beta,
                                  tulle_vec *Y);

/* Does tulle_dist_mat_gather without checks; root -1: all processes get the whole matrix. */
tulle_status tulle__dist_mat_collect(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here,
                                     int root, tulle_mat **whole);

/* Do tulle_dist_spgemm, tulle_dist_add and tulle_dist_mat_transpose without checks. */
tulle_status tulle__dist_spgemm(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                                const tulle_dist_mat *B, tulle_dist_mat **C);
tulle_status tulle__dist_add(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                             tulle_scalar beta, const tulle_dist_mat *B, tulle_dist_mat **C);
tulle_status tulle__dist_transpose(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_dist_mat **T);

/* Does tulle_dist_spgemm_galerkin without checks, where R is the transpose of P. */
tulle_status tulle__dist_galerkin(tulle_ctx *ctx, tulle_scalar alpha, const tulle_dist_mat *A,
                                  const tulle_dist_mat *P, const tulle_dist_mat *R,
                                  tulle_dist_mat **C);

#endif
