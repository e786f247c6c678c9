/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Other orders of rows, columns and vectors. Nothing is reordered unless it is asked for.
 *
 * An order P of n things puts number order[i] at place i: (P x)[i] = x[order[i]]. As a matrix, P
 * has its ones at (i, order[i]), and its inverse is its transpose. To solve A x = b, where A is
 * square, in an order that keeps neighbours near:
 *
 *     tulle_order_rcm(ctx, A, &P);
 *     tulle_mat_permute(ctx, A, P, P, &B);     B := P A P^T
 *     tulle_vec_permute(ctx, P, b, c);       c := P b
 *     ... solve B z = c ...
 *     tulle_vec_unpermute(ctx, P, z, x);     x := P^T z
 */
#ifndef TULLE_REORDER_H
#define TULLE_REORDER_H

#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "vec.h"

/** An order of n things with its inverse, in a context's memory; immutable. */
typedef struct tulle_order tulle_order;

/** Methods that find an order with little fill. */
typedef enum tulle_fill_order {
    TULLE_AMD = 0,              /**< approximate minimum degree, one node after the other */
    TULLE_NESTED_DISSECTION = 1 /**< separators last: more work, more rows at a time, and for large
                                     meshes less fill */
} tulle_fill_order;

TULLE_BEGIN

/**
 * Makes an order from an array of @a n numbers in host memory, copied: each of 0 to n - 1 once.
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT (a NULL, n below 0, no permutation; the error
 * record names the place), TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_order_create(tulle_ctx *ctx, int64_t n, const int64_t *order,
                                          tulle_order **P);

/**
 * The reverse Cuthill-McKee order of a square matrix, which often makes the bandwidth of P A P^T
 * small: neighbours of the pattern of A + A^T come close to each other. Each connected component
 * starts at a pseudo-peripheral node and goes on through the levels of the graph, the neighbours of
 * a node by rising degree, equal ones by rising index; then all is reversed. Values and repeated
 * entries do not matter.
 *
 * A may have any format and live anywhere that @a ctx reaches; the work is done by the host, in
 * about the time of a few conversions and with scratch for 2 nnz + 8 n indices.
 * Synchronises: yes. Deterministic: a function of the pattern alone.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH (A is not square), TULLE_SPACE_MISMATCH,
 * TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 * Source: Cuthill and McKee 1969; reversed: George 1971; the start: George and Liu, "An
 * implementation of a pseudoperipheral node finder", ACM TOMS 5 (1979).
 */
TULLE_API tulle_status tulle_order_rcm(tulle_ctx *ctx, const tulle_mat *A, tulle_order **P);

/**
 * An order of a square matrix in which its complete factors (tulle/factor.h, TULLE_FILL_ALL) have
 * few entries; of BSR an order of its block rows, as tulle_factor_options wants it. It is found
 * from the pattern of A + A^T; values and repeated entries do not matter.
 *
 * A may have any format and live anywhere that @a ctx reaches; the work is done by the host, by
 * SuiteSparse's AMD, which takes its scratch from malloc and cannot be cancelled, or by nested
 * dissection, which asks the progress callback often. Neither changes anything of the process, such
 * as its signals, and both may run in several threads at once.
 * Synchronises: yes. Deterministic: a function of the pattern alone.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH (A is not square), TULLE_SPACE_MISMATCH,
 * TULLE_TOO_LARGE (nested dissection takes 2^31 - 1 nodes), TULLE_OUT_OF_MEMORY, TULLE_CANCELLED,
 * TULLE_DEVICE_FAULT.
 * Source: P. Amestoy, T. Davis and I. Duff, "Algorithm 837: AMD", ACM TOMS 30 (2004); A. George,
 * "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10 (1973); for
 * its separators G. Karypis and V. Kumar, "A fast and high quality multilevel scheme", SIAM J.
 * Sci. Comput. 20 (1998).
 */
TULLE_API tulle_status tulle_order_fill(tulle_ctx *ctx, const tulle_mat *A, tulle_fill_order method,
                                        tulle_order **P);

/**
 * Finds an order of the rows of a square A for which the diagonal of P A, B(j, j) = A(p[j], j), has
 * the largest product of sizes |B(j, j)| that any order gives it: for factors without exchanges of
 * rows, of matrices whose diagonal has zeros or small numbers. Where every order leaves zeros on
 * the diagonal (A is structurally singular) as few as possible are left. Entries that are 0, Inf or
 * NaN are not brought there.
 *
 * A may have any format and live anywhere that @a ctx reaches; the work is done by the host, with
 * scratch for a copy of A in f64 with 64-bit indices and 10 n numbers.
 *
 * @param matched receives the number of diagonal entries of P A that are finite and not 0
 *
 * Synchronises: yes. Deterministic: a function of A, and the same for a power of 2 times A or times
 * its rows, unless numbers underflow.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH (A is not square), TULLE_SPACE_MISMATCH,
 * TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 * Source: I. Duff and J. Koster, "On algorithms for permuting large entries to the diagonal of a
 * sparse matrix", SIAM J. Matrix Anal. Appl. 22 (2001).
 */
TULLE_API tulle_status tulle_order_diagonal(tulle_ctx *ctx, const tulle_mat *A, tulle_order **P,
                                            int64_t *matched);

/**
 * Parts the rows of a square matrix for processes (tulle/dist.h): the rows of each part follow each
 * other in P A P^T, in the order that they had in A, and few entries join rows of different parts,
 * so that products need few rows of x of other processes. Parts have about as many entries each.
 *
 *     tulle_order_partition(ctx, A, ranks, starts, &P);
 *     tulle_mat_permute(ctx, A, P, P, &B);
 *     tulle_dist_mat_from_rows(ctx, comm, B, starts[rank], rows, rows, &D);
 *                                         rows = starts[rank + 1] - starts[rank]
 *
 * tulle_dist_mat_partition does this for a matrix that is shared already. The parts are those of
 * METIS for the graph of A + A^T, whose nodes weigh as many entries as their rows have; matrices of
 * fewer than 16 rows a part, or without entries off the diagonal, are shared evenly as they stand.
 *
 * @param parts  number of parts, 1 or more
 * @param starts receives parts + 1 numbers: part p has rows starts[p] to starts[p + 1] - 1 of
 *               P A P^T. A part may be empty
 *
 * A may have any format and live anywhere that @a ctx reaches; the work is done by one thread of
 * the host, with scratch from malloc, and cannot be cancelled while METIS works. METIS draws from
 * rand() of the C library after srand(), and handles SIGABRT and SIGTERM until it returns: let
 * other threads do neither meanwhile. tulle calls it in one thread at a time.
 * Synchronises: yes. Deterministic: a function of the pattern and of METIS's version, if no other
 * thread calls rand() meanwhile.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH (A is not square), TULLE_SPACE_MISMATCH,
 * TULLE_UNSUPPORTED (libtulle was built without METIS), TULLE_TOO_LARGE (rows and entries off the
 * diagonal of A + A^T are more than METIS's numbers reach, 2^31 - 1 as Debian builds it),
 * TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 * Source: G. Karypis and V. Kumar, "A fast and high quality multilevel scheme", SIAM J. Sci.
 * Comput. 20 (1998).
 */
TULLE_API tulle_status tulle_order_partition(tulle_ctx *ctx, const tulle_mat *A, int parts,
                                             int64_t *starts, tulle_order **P);

/** Gives up an order; NULL is fine. Work of other contexts that uses it must be done. */
TULLE_API void tulle_order_destroy(tulle_order *P);

/** Returns the number of things that P orders; 0 for NULL. */
TULLE_API int64_t tulle_order_length(const tulle_order *P);

/**
 * Copies the order to host memory: order[i] is the old index of the item at place i. Synchronises:
 * yes. Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_order_read(tulle_ctx *ctx, const tulle_order *P, int64_t *order);

/**
 * B := P A Q^T, that is B(i, j) = A(p[i], q[j]): a new CSR matrix of A's types, columns ascending
 * in each row, repeated entries in their order. NULL for @a P or @a Q leaves the rows or the
 * columns where they are. A may have any format.
 *
 * B times (Q x) is P (A x): the same products, added up in the order of B's columns.
 * Synchronises: yes. Deterministic (bitwise).
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH (P has not A's rows, Q not its columns),
 * TULLE_SPACE_MISMATCH, TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_permute(tulle_ctx *ctx, const tulle_mat *A, const tulle_order *P,
                                         const tulle_order *Q, tulle_mat **B);

/**
 * Y := P X, row i of Y being row order[i] of X. Shapes: X and Y n x k, of one type, in any layouts,
 * apart from each other in memory. Does not synchronise. Deterministic.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_ALIASED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_vec_permute(tulle_ctx *ctx, const tulle_order *P, const tulle_vec *X,
                                         tulle_vec *Y);

/**
 * Y := P^T X, row order[i] of Y being row i of X: the inverse of tulle_vec_permute, and otherwise
 * as that.
 */
TULLE_API tulle_status tulle_vec_unpermute(tulle_ctx *ctx, const tulle_order *P, const tulle_vec *X,
                                           tulle_vec *Y);

TULLE_END
#endif
