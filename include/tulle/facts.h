/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Facts of a matrix from which a method that solves a system with the matrix is chosen: symmetry,
 * diagonal, dominance, blocks. They are counted in one pass over the entries; nothing is
 * factorised.
 */
#ifndef TULLE_FACTS_H
#define TULLE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"

/**
 * Facts of a matrix A, by tulle_mat_facts. u is the unit roundoff of A's type. Entries that a
 * format only pads with do not count.
 *
 * The entry a_ij is "alike" a_ji where |a_ij - a_ji| <= 8 u (max(|a_ij|, |a_ji|) +
 * sqrt(|a_ii|) sqrt(|a_jj|)); an entry that is not stored is 0 there. This limit is that of the
 * rounding in an assembled matrix, and the same for D A D with any diagonal matrix D of powers of
 * two. Where Inf or NaN is among the four numbers, only a_ij = a_ji are alike.
 *
 * The entry a_ij is "near" a_ji where it is alike a_ji, or where |a_ij - a_ji| <=
 * sqrt(|a_ii|) sqrt(|a_jj|) / 64 with finite diagonal entries.
 */
typedef struct tulle_facts {
    int64_t diagonal;          /**< rows i whose entry (i, i) is stored */
    int64_t diagonal_zero;     /**< rows whose entry (i, i) is stored and 0 */
    int64_t diagonal_positive; /**< rows whose entry (i, i) is above 0 */
    int64_t empty_diagonal;    /**< first row whose entry (i, i) is 0 or not stored; -1: no row */
    int64_t off_diagonal;      /**< stored entries off the diagonal */
    int64_t off_positive;      /**< stored entries off the diagonal that are above 0 */
    int64_t mirrored;          /**< entries (i, j) off the diagonal of which (j, i) is stored */
    int64_t equal;             /**< mirrored entries with a_ij = a_ji */
    int64_t alike;             /**< entries off the diagonal that are alike a_ji */
    int64_t opposite;          /**< mirrored entries with a_ij = -a_ji */
    int64_t indefinite_pairs;  /**< entries off the diagonal with |a_ij| above
                                    sqrt(|a_ii|) sqrt(|a_jj|) (1 + 8 u): one is enough to show
                                    that a symmetric A is not positive definite */
    int64_t not_dominant;      /**< rows in which sum_{j != i} |a_ij| is above |a_ii| by more than
                                    the rounding of that sum, (row length + 4) 2 u |a_ii|, and
                                    rows with NaN; the sum is f64, in the order of columns */
    int64_t zeros;             /**< stored entries of value 0 */
    int64_t not_finite;        /**< stored entries that are Inf or NaN */
    int64_t bad_row;           /**< row of the first entry that is Inf or NaN, by rows and columns;
                                    -1: none */
    int64_t bad_column;        /**< column of the same entry; -1: none */
    double smallest;           /**< least |a_ij| that is finite and not 0; 0: there is none */
    double largest;            /**< greatest |a_ij| that is finite; 0: there is none */
    int64_t block;             /**< largest size b of 8, 6, 5, 4, 3, 2 for which the b x b blocks
                                    that hold an entry are entries to 90 % at least and A has 2 b
                                    rows; 0: none, or A is of a kind that BSR cannot hold */
    double block_filled;       /**< part of these blocks that is entries; 0 without blocks */
    bool symmetric;            /**< A is square, and all its entries off the diagonal are alike */
    int64_t uneven;        /**< rows with an entry off the diagonal whose size is below a quarter
                                of the largest such size in the row, and above 2^-33 times that
                                size: smaller ones are 0 but for rounding */
    int64_t near;          /**< entries off the diagonal that are near a_ji */
    bool nearly_symmetric; /**< A is square, and all its entries off the diagonal are near */
} tulle_facts;

TULLE_BEGIN

/**
 * Counts the facts of A. A may be in any format, in host or device memory; of a matrix that is not
 * in CSR with ascending columns a copy in CSR is made first, in which repeated entries are added.
 * A hypersparse matrix in COO or DCSR needs no table of its rows; `block` is 0 for it.
 *
 * @param A     any shape; of a matrix that is not square, what compares a_ij with a_ji or with the
 *              diagonal (mirrored, equal, alike, near, opposite, indefinite_pairs, symmetric,
 *              nearly_symmetric) is 0
 * @param facts receives the counts; unchanged where the call fails
 *
 * Synchronises. Deterministic: counts, least and greatest numbers do not depend on the number of
 * threads nor on the device. Errors: TULLE_INVALID_ARGUMENT (a NULL), TULLE_SPACE_MISMATCH (A of
 * another device), TULLE_TOO_LARGE (offsets of all rows of a CSR copy), TULLE_OUT_OF_MEMORY,
 * TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_facts(tulle_ctx *ctx, const tulle_mat *A, tulle_facts *facts);

TULLE_END
#endif
