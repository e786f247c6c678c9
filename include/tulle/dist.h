/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Matrices and vectors whose rows are shared by the processes of a communicator (comm.h).
 *
 *     int64_t first, rows = tulle_dist_share(n, tulle_comm_ranks(comm), tulle_comm_rank(comm),
 *                                            &first);
 *     tulle_dist_mat_create(ctx, comm, rows, rows, offsets, columns, TULLE_F64, values, &A);
 *     tulle_linop_from_dist(ctx, A, &L);
 *     tulle_linop_jacobi(ctx, L, &M);
 *     tulle_solver_create(ctx, L, M, &options, &S);       b, x: vectors of this process's rows
 *
 * Each process has rows that follow each other, those of rank 0 first; a process may have none. A
 * distributed vector is a tulle_vec of this process's rows. A multivector is distributed in the
 * same way, and all processes give the same number of columns.
 *
 * Every function here that takes a communicator or a distributed matrix is called by all processes,
 * in the same order (comm.h), unless its comment says otherwise. An error of the arguments of one
 * process is told to the others where a function makes an object; elsewhere they find out by the
 * communicator's timeout.
 */
#ifndef TULLE_DIST_H
#define TULLE_DIST_H

#include <stdint.h>

#include "comm.h"
#include "context.h"
#include "export.h"
#include "linop.h"
#include "matrix.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/** A matrix whose rows are shared by processes. */
typedef struct tulle_dist_mat tulle_dist_mat;

/** Rows of a distributed matrix of which a process has fetched a copy. */
typedef struct tulle_dist_rows tulle_dist_rows;

/** An order of the rows of a distributed matrix that has moved rows to other processes. */
typedef struct tulle_dist_order tulle_dist_order;

/** Shape and parts of a distributed matrix. */
typedef struct tulle_dist_mat_info {
    int64_t rows;       /**< number of rows of the whole matrix */
    int64_t cols;       /**< number of columns of the whole matrix */
    int64_t nnz;        /**< number of entries of the whole matrix */
    int64_t first_row;  /**< first row of this process */
    int64_t local_rows; /**< number of rows of this process */
    int64_t first_col;  /**< first row of x of this process */
    int64_t local_cols; /**< number of rows of x of this process */
    int64_t local_nnz;  /**< number of entries in this process's rows */
    int64_t edge_rows;  /**< number of this process's rows that need x of other processes */
    int64_t received;   /**< number of rows of x that this process gets from others in a product */
    int64_t sent;       /**< number of rows of x that this process sends to others in a product */
    int receives_from;  /**< number of processes that it gets them from */
    int sends_to;       /**< number of processes that it sends them to */
    tulle_type type;    /**< type of the values */
} tulle_dist_mat_info;

TULLE_BEGIN

/**
 * Returns the number of rows of a rank where n rows are shared evenly, and stores the first of them
 * in *first (NULL: not wanted). The first n mod ranks ranks have one row more than the others.
 * Returns 0 for numbers that make no sense. Called by whoever wants; does not communicate.
 */
TULLE_API int64_t tulle_dist_share(int64_t n, int ranks, int rank, int64_t *first);

/**
 * Makes a matrix from this process's rows, in CSR form with columns of the whole matrix.
 *
 * @param rows    number of this process's rows, possibly 0
 * @param cols    number of rows of x of this process: `rows` for a square matrix
 * @param offsets rows + 1 numbers in host memory, from 0 on, that never fall
 * @param columns offsets[rows] columns of the whole matrix, in host memory, in any order; repeated
 *                entries add up. Column numbers of rank 0 come first, as rows of x do. NULL where
 *                there is none
 * @param values  a value of `type` for each column, in host memory
 *
 * The entries in this process's own columns become a matrix in CSR in the context's memory; the
 * other ones, with their columns numbered anew, another one of the rows that have such entries. The
 * processes then find out who needs which rows of x. All arrays are copied. A holds ctx and comm.
 * The contexts of all processes are of one kind: CPUs, or GPUs.
 *
 * Communicates. Synchronises: yes. Deterministic. Errors, in all processes: TULLE_INVALID_ARGUMENT
 * (types, or kinds of contexts, that differ; a NULL, a negative size), TULLE_INVALID_MATRIX
 * (offsets, a column that is not in the matrix; the record names the row), TULLE_TOO_LARGE (also
 * rows, columns or entries of all processes beyond int64), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT,
 * TULLE_PEER_FAILED (an error of these in another process).
 */
TULLE_API tulle_status tulle_dist_mat_create(tulle_ctx *ctx, tulle_comm *comm, int64_t rows,
                                             int64_t cols, const int64_t *offsets,
                                             const int64_t *columns, tulle_type type,
                                             const void *values, tulle_dist_mat **A);

/**
 * Makes a matrix from rows `first` to first + rows - 1 of @a from, which are this process's: from
 * has the columns of the whole matrix, and either all of its rows or this process's alone. cols is
 * as for tulle_dist_mat_create. from may be in any format, in the memory of ctx, and is not kept;
 * rows that are taken pass through host memory.
 *
 * Communicates. Synchronises: yes. Deterministic. Errors, in all processes: as
 * tulle_dist_mat_create; TULLE_INVALID_ARGUMENT (rows that from does not have; a number of columns
 * that differs between processes), TULLE_SPACE_MISMATCH.
 */
TULLE_API tulle_status tulle_dist_mat_from_rows(tulle_ctx *ctx, tulle_comm *comm,
                                                const tulle_mat *from, int64_t first, int64_t rows,
                                                int64_t cols, tulle_dist_mat **A);

/**
 * Gives this process's rows new values. @a offsets and @a columns are those with which A was made,
 * in the same order. Factors and operators that were computed from the old values are made or
 * renewed by the caller (tulle_linop_renew), as after tulle_mat_set_values.
 *
 * Called by whoever has new values; does not communicate. Synchronises: yes. Errors:
 * TULLE_INVALID_ARGUMENT (a NULL; offsets or columns that are seen to be others; A is then as it
 * was), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_dist_mat_set_values(tulle_dist_mat *A, const int64_t *offsets,
                                                 const int64_t *columns, const void *values);

/** Describes A. Neither communicates nor synchronises. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_dist_mat_describe(const tulle_dist_mat *A, tulle_dist_mat_info *info);

/**
 * Returns the block of A of this process's own rows and columns, local_rows x local_cols in CSR,
 * which A keeps: for incomplete factors (tulle_factor_create) or blocks (tulle_linop_block_jacobi)
 * of each process's rows, the parts of a block Jacobi preconditioner. It is for reading: A keeps
 * entries of rows with columns of other processes once more, so that values written to the block
 * alone would count in products and not in residuals; tulle_dist_mat_set_values writes both. NULL
 * for A == NULL. Neither communicates nor synchronises.
 */
TULLE_API tulle_mat *tulle_dist_mat_block(const tulle_dist_mat *A);

/**
 * Y := alpha op(A) X + beta Y
 *
 * Shapes: for TULLE_N, X has local_cols rows and Y local_rows; for TULLE_T the other way round; k
 * columns in both, the same in all processes; of A's type; each in any layout. With beta == 0, Y is
 * not read.
 *
 * TULLE_N: the rows of X that others need are sent; meanwhile the block of this process's own
 * columns is multiplied; then the rest is added. TULLE_T: products with entries in other processes'
 * columns are sent to these and added there, in the order of ranks.
 *
 * Error: as of tulle_spmm, with two roundings more for each process that a row has columns of.
 * Communicates. On a GPU the host waits for the stream where the communicator copies by way of host
 * memory. Allocates nothing when repeated with as many columns. Deterministic: as tulle_spmm is for
 * the block; TULLE_T on a GPU may use atomic additions, as there. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH, TULLE_ALIASED,
 * TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT, TULLE_PEER_FAILED; after any of them the communicator
 * has failed (comm.h).
 */
TULLE_API tulle_status tulle_dist_mat_multiply(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                               tulle_dist_mat *A, const tulle_vec *X,
                                               tulle_scalar beta, tulle_vec *Y);

/**
 * Copies this process's rows to host memory: offsets, local_rows + 1 numbers from 0 on, and
 * local_nnz columns of the whole matrix with their values; of each row the entries in this
 * process's own columns come first. Called by whoever wants; does not communicate. Synchronises:
 * yes. Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_dist_mat_read(tulle_ctx *ctx, const tulle_dist_mat *A,
                                           int64_t *offsets, int64_t *columns, void *values);

/**
 * Gathers A in one process: *whole gets a matrix in CSR in ctx's memory in the process `root`, and
 * NULL in all others. Columns of a row that ascended when A was made ascend. *whole is the caller's
 * (tulle_mat_destroy). Communicates. Synchronises: yes. Errors: as tulle_dist_mat_create; root must
 * be a rank, the same in all processes.
 */
TULLE_API tulle_status tulle_dist_mat_gather(tulle_ctx *ctx, tulle_dist_mat *A, int root,
                                             tulle_mat **whole);

/**
 * Fetches rows of A from the processes that have them, and keeps the plan by which they come.
 *
 * @param count number of rows that this process wants, possibly 0
 * @param rows  their numbers in the whole matrix, ascending, in host memory; own rows may be among
 *              them. Copied
 * @param F     the rows, the caller's (tulle_dist_rows_destroy); it holds A
 *
 * Communicates. Synchronises: yes; rows go through host memory where the communicator does not work
 * on the stream. Deterministic: values are copied.
 * Errors, in all processes: TULLE_INVALID_ARGUMENT (a NULL; rows that do not ascend or that A does
 * not have), TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT, TULLE_PEER_FAILED (an
 * error of these in another process).
 */
TULLE_API tulle_status tulle_dist_rows_fetch(tulle_ctx *ctx, tulle_dist_mat *A, int64_t count,
                                             const int64_t *rows, tulle_dist_rows **F);

/**
 * Fetches the values that the rows have now (tulle_dist_mat_set_values); patterns do not travel
 * again.
 *
 * Communicates. Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT (a NULL), TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT, TULLE_PEER_FAILED; F then has its old values or the new ones.
 */
TULLE_API tulle_status tulle_dist_rows_update(tulle_ctx *ctx, tulle_dist_rows *F);

/**
 * Returns the rows as a matrix in CSR in the context's memory, which F keeps: count rows, in the
 * order in which they were named, and the columns of the whole matrix. It is for reading. NULL for
 * F == NULL. Neither communicates nor synchronises.
 */
TULLE_API const tulle_mat *tulle_dist_rows_mat(const tulle_dist_rows *F);

/** Gives up fetched rows; NULL is fine. Communicates as tulle_dist_mat_destroy. */
TULLE_API void tulle_dist_rows_destroy(tulle_dist_rows *F);

/**
 * T := A^T, whose rows are shared as the columns of A are
 *
 * Each entry goes to the process that has its column. *T is the caller's (tulle_dist_mat_destroy);
 * the columns of a row ascend, repeated entries stay repeated.
 *
 * Communicates. Synchronises: yes. Entries in own columns are transposed by ctx; the other ones go
 * through host memory. Deterministic: values are copied. Errors, in all processes: as
 * tulle_dist_mat_create.
 */
TULLE_API tulle_status tulle_dist_mat_transpose(tulle_ctx *ctx, tulle_dist_mat *A,
                                                tulle_dist_mat **T);

/**
 * C := alpha A B
 *
 * Shapes: A m x l, B l x n, C m x n; the rows of B are shared as the columns of A are
 * (tulle_dist_mat_create), the rows of C as A's, the columns as B's; A and B of one type and one
 * communicator. Each process fetches the rows of B that its rows of A have columns of, and
 * multiplies its rows (tulle_spgemm). *C is the caller's (tulle_dist_mat_destroy); it has an entry
 * wherever a product meets, and the columns of each row ascend.
 *
 * Error: as tulle_spgemm. Where the columns of each row of A ascend, terms are added in their
 * order, so that C has the bits of tulle_spgemm for the whole matrices, however the rows are
 * shared.
 *
 * Communicates. Synchronises: yes. Local products are made by ctx; rows travel as in
 * tulle_dist_rows_fetch, their lengths and the numbers of other columns in host memory.
 * Deterministic: bitwise, for any communicator. Errors, in all processes: those of tulle_spgemm and
 * tulle_dist_mat_create, and TULLE_SHAPE_MISMATCH (rows of B that are shared in another way),
 * TULLE_INVALID_ARGUMENT (a NULL; another communicator); where one process alone fails, the others
 * get TULLE_PEER_FAILED.
 */
TULLE_API tulle_status tulle_dist_spgemm(tulle_ctx *ctx, tulle_scalar alpha, tulle_dist_mat *A,
                                         tulle_dist_mat *B, tulle_dist_mat **C);

/**
 * C := alpha P^T A P, a coarse matrix of a multigrid method
 *
 * Shapes: A n x n, whose columns are shared as its rows are, P n x m with the same shares of rows,
 * C m x m with the shares of P's columns. R = P^T is made first (tulle_dist_mat_transpose), then
 * A P, and then their product, so that bits are those of tulle_spgemm_galerkin for the whole
 * matrices where the columns of each row of A and P ascend. The rest is as of tulle_dist_spgemm.
 */
TULLE_API tulle_status tulle_dist_spgemm_galerkin(tulle_ctx *ctx, tulle_scalar alpha,
                                                  tulle_dist_mat *A, tulle_dist_mat *P,
                                                  tulle_dist_mat **C);

/**
 * C := alpha A + beta B
 *
 * Shapes: A, B and C m x n, their rows and columns shared alike; A and B of one type and one
 * communicator, possibly the same matrix. Each process adds its rows (tulle_add), with columns in
 * the order of the whole matrix. *C is the caller's (tulle_dist_mat_destroy), with an entry
 * wherever A or B has one; the columns of each row ascend.
 *
 * Error: as tulle_add, with its bits. Communicates. Synchronises: yes. Deterministic: bitwise.
 * Errors, in all processes: those of tulle_add and tulle_dist_mat_create, and TULLE_SHAPE_MISMATCH
 * (rows or columns that are shared in another way), TULLE_INVALID_ARGUMENT (a NULL; another
 * communicator).
 */
TULLE_API tulle_status tulle_dist_add(tulle_ctx *ctx, tulle_scalar alpha, tulle_dist_mat *A,
                                      tulle_scalar beta, tulle_dist_mat *B, tulle_dist_mat **C);

/**
 * B := P A P^T, where P moves rows to processes such that products need few rows of x of others
 *
 * For a square A whose columns are shared as its rows are, and whose rows as they stand have
 * entries all over. The parts are METIS's, as of tulle_order_partition: part r becomes the rows of
 * rank r, which are in the order that they had in A. A solution comes back by the order:
 *
 *     tulle_dist_mat_partition(ctx, A, &B, &P);
 *     tulle_dist_mat_describe(B, &info);           c and z have info.local_rows rows
 *     tulle_dist_vec_permute(ctx, P, b, c);        c := P b
 *     ... solve B z = c ...
 *     tulle_dist_vec_unpermute(ctx, P, z, x);      x := P^T z
 *
 * *B is the caller's (tulle_dist_mat_destroy), and so is *P (tulle_dist_order_destroy); neither
 * holds A. The columns of a row of B ascend, and repeated entries keep their order: B is
 * tulle_mat_permute's of the whole matrices, bit by bit. A process may be left without rows.
 *
 * The process of rank 0 gathers the whole matrix in its ctx's memory, and parts its graph on the
 * host in one thread; each process holds 12 bytes for each row of the whole matrix meanwhile. Rows
 * that have come are ordered in host memory.
 *
 * Communicates: the others wait for METIS, at most as long as the communicator's timeout.
 * Synchronises: yes. Deterministic: as tulle_order_partition. Errors, in all processes: those of
 * tulle_order_partition and tulle_dist_mat_create, TULLE_SHAPE_MISMATCH also for columns that are
 * shared in another way; where one process alone fails, the others get TULLE_PEER_FAILED.
 */
TULLE_API tulle_status tulle_dist_mat_partition(tulle_ctx *ctx, tulle_dist_mat *A,
                                                tulle_dist_mat **B, tulle_dist_order **P);

/**
 * Y := P X: the rows of X, which are shared as those of the matrix before the partition, move to
 * the processes that have them after it.
 *
 * Shapes: X has as many rows as this process had before, Y as many as it has now; k columns of one
 * type in both, the same in all processes; each in any layout, apart from each other in memory.
 * Communicates. Synchronises: yes; rows go through host memory, one column after the other.
 * Deterministic: numbers are copied. Errors, in all processes: TULLE_INVALID_ARGUMENT (a NULL;
 * columns or types that differ between processes), TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH,
 * TULLE_TYPE_MISMATCH, TULLE_ALIASED, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT; where one process
 * alone fails, the others get TULLE_PEER_FAILED.
 */
TULLE_API tulle_status tulle_dist_vec_permute(tulle_ctx *ctx, const tulle_dist_order *P,
                                              const tulle_vec *X, tulle_vec *Y);

/** X := P^T Y: the inverse of tulle_dist_vec_permute, by which a solution comes back; otherwise as
 * that. */
TULLE_API tulle_status tulle_dist_vec_unpermute(tulle_ctx *ctx, const tulle_dist_order *P,
                                                const tulle_vec *Y, tulle_vec *X);

/** Gives up an order; NULL is fine. Communicates as tulle_dist_mat_destroy. */
TULLE_API void tulle_dist_order_destroy(tulle_dist_order *P);

/** Adds an owner of A, who must destroy it too; returns A. NULL is fine. */
TULLE_API tulle_dist_mat *tulle_dist_mat_retain(tulle_dist_mat *A);

/** Gives up a matrix; NULL is fine. Communicates only where it was the last owner of its
 * communicator (tulle_comm_destroy). */
TULLE_API void tulle_dist_mat_destroy(tulle_dist_mat *A);

/**
 * The distributed matrix A as an operator on this process's rows: tulle_dist_mat_multiply. It knows
 * A's diagonal where A is square and its columns are shared as its rows are, and its communicator:
 * a solver of it (solver.h) sums over all processes, and so do bounds of eigenvalues that
 * tulle_linop_chebyshev estimates. All processes apply it, also those without rows; products and
 * sums of it with others are distributed, too. L holds A. Does not communicate. Errors:
 * TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY.
 */
TULLE_API tulle_status tulle_linop_from_dist(tulle_ctx *ctx, tulle_dist_mat *A, tulle_linop **L);

/**
 * results[c] := the inner product of the columns c of X and Y, over the rows of all processes; the
 * same bits in all of them. Sums of a process: tulle_vec_dot; they are added up in the order of
 * ranks. Communicates. Synchronises: yes. Deterministic. Errors: as tulle_vec_dot, and
 * TULLE_PEER_FAILED.
 */
TULLE_API tulle_status tulle_dist_dot(tulle_ctx *ctx, tulle_comm *comm, const tulle_vec *X,
                                      const tulle_vec *Y, double *results);

/** results[c] := the 2-norm of column c over the rows of all processes, without overflow where
 * tulle_vec_norm2 has none. Otherwise as tulle_dist_dot. */
TULLE_API tulle_status tulle_dist_norm2(tulle_ctx *ctx, tulle_comm *comm, const tulle_vec *X,
                                        double *results);

/**
 * Gathers a multivector in one process: copies the rows of all processes, in the order of ranks, to
 * the array `host` of the process `root`, column by column; host is not looked at elsewhere.
 * Communicates. Synchronises: yes. Errors: as tulle_vec_read, TULLE_INVALID_ARGUMENT (in all
 * processes: root differs or is no rank; host is NULL in the root although there are numbers), and
 * TULLE_PEER_FAILED.
 */
TULLE_API tulle_status tulle_dist_gather(tulle_ctx *ctx, tulle_comm *comm, const tulle_vec *X,
                                         int root, void *host);

TULLE_END
#endif
