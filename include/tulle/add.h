/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The sum of two sparse matrices.
 */
#ifndef TULLE_ADD_H
#define TULLE_ADD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"

/** Options of tulle_add; zero-initialise for the defaults. */
typedef struct tulle_add_options {
    bool index_given;  /**< true: C has the index type `index`, or the call fails; false: C's
                            columns have the wider index type of A and B, and its offsets have 64
                            bits where 32 cannot count its entries */
    tulle_index index; /**< index type of C where index_given is true */
} tulle_add_options;

/** Sizes and times of a sum by tulle_add. Times in milliseconds. */
typedef struct tulle_add_report {
    int64_t nnz;        /**< number of entries of C */
    int64_t both;       /**< number of entries of C where both A and B have one */
    int64_t peak_bytes; /**< largest number of bytes of the place's memory that the call held at
                             a time, with C, without A and B */
    double operands_ms; /**< time of bringing A and B into sorted CSR with one index type, in
                           milliseconds */
    double count_ms;    /**< time of counting the entries of C, in milliseconds */
    double allocate_ms; /**< time of getting memory for C, in milliseconds */
    double compute_ms;  /**< time of computing offsets, columns and values, in milliseconds */
    double finish_ms;   /**< time of computing statistics of C, in milliseconds */
    double total_ms;    /**< time of the whole call, in milliseconds */
} tulle_add_report;

TULLE_BEGIN

/** tulle_add with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_add_sized(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                       tulle_scalar alpha, const tulle_mat *A, tulle_scalar beta,
                                       const tulle_mat *B, const tulle_add_options *options,
                                       size_t options_size, tulle_add_report *report,
                                       tulle_mat **C);

/**
 * C := alpha op(A) + beta op(B)
 *
 * Shapes: op(A), op(B) and C m x n; A and B of one value type, which is C's. A and B may be in any
 * format, with different index types, their columns in any order and repeated, and may be the same
 * matrix. An operand that is not CSR with rising columns and the common index type is first
 * converted, in memory of the context that the call gives back; repeated columns become their sum,
 * in their order.
 *
 * Hypersparse operands: where C has at least 2^30 rows, A and B together have fewer than one entry
 * in sixteen of them, and neither has a table of them (CSR has one of its rows, DCSR and COO have
 * none), C is in DCSR, and the call takes the memory of the entries. The same is so of columns,
 * which CSR lists.
 *
 * Blocks: where A and B are BSR matrices all of whose cells are entries, and op(A) and op(B) have
 * blocks of one shape above 1 x 1, C is such a matrix, too. Where A and B share their pattern, as
 * below, only values are added; else the sum is made by numbers, and laid out in blocks.
 *
 * Otherwise C is a new CSR matrix of the context. It has an entry wherever A or B has one, also
 * where the sum is zero; the columns of each row rise. alpha == 0 and beta == 0 keep the pattern,
 * and propagate Inf and NaN. Where A and B are CSR matrices that share a pattern of the context
 * which is not borrowed (tulle_mat_with_values, tulle_mat_copy), or the same matrix, C has it too,
 * with its plans, unless another index type is asked for, and only values are added.
 *
 * Error: |C - exact| <= gamma(p_ij + 1) (|alpha| |A| + |beta| |B|)_ij + (p_ij + 1) s, p_ij the
 * entries that A has in place (i, j), or B if these are more, |A| of repeated entries the sum of
 * their magnitudes, s the smallest positive number. With alpha and beta powers of two and nothing
 * repeated, sums are rounded once.
 *
 * C has at most as many entries as A and B together. Beside C and converted operands the call
 * holds, on a CPU, 32 bytes for some thousand entries and, where the context has no memory cap, up
 * to the bytes of the entries of both operands, of which C may keep a third of its own bytes; on a
 * GPU 2 bytes a row, and up to a byte for each entry of A and B.
 *
 * Deterministic: bitwise, for any number of threads.
 *
 * @param options NULL for the defaults.
 * @param report  sizes and times of the call; NULL: not wanted. With it, the call waits for the
 *                device between its phases, to time them.
 *
 * Synchronises: yes: for the size of C, and for C's statistics, but not where only values are
 * added; more often where operands are converted, or with a report.
 * Progress is told, and cancelling leaves A and B as they were. Source: the merge path of Odeh,
 * Green, Mwassi, Shmueli and Birk, Merge Path - parallel merging made simple, 2012.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_TOO_LARGE (the index type that was asked for cannot hold C, which is said before C is
 * allocated; op(A) or op(B) is no CSR matrix yet, and no memory has room for a table of its rows),
 * TULLE_OUT_OF_MEMORY (on a CPU also where C, once its entries are counted, takes more than this
 * machine's available memory), TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_HOST_INLINE tulle_status tulle_add(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                         tulle_scalar alpha, const tulle_mat *A, tulle_scalar beta,
                                         const tulle_mat *B, const tulle_add_options *options,
                                         tulle_add_report *report, tulle_mat **C) {
    return tulle_add_sized(ctx, op_A, op_B, alpha, A, beta, B, options, sizeof(tulle_add_options),
                           report, C);
}

TULLE_END
#endif
