/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Triangular systems with a part of a sparse matrix: op(T) X = alpha B.
 *
 * T is the lower or the upper triangle of a square matrix A in CSR or BSR, whose other entries are
 * not read. Solving needs to know which rows wait for which: this is found from the pattern at the
 * first call (or by tulle_trisolve_analyse) and kept with the pattern, for all matrices that share
 * it and whatever values they get.
 */
#ifndef TULLE_TRISOLVE_H
#define TULLE_TRISOLVE_H

#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/** A triangle of a square matrix. */
typedef enum tulle_part {
    TULLE_LOWER = 0, /**< entries (i, j) with j <= i */
    TULLE_UPPER = 1  /**< entries (i, j) with j >= i */
} tulle_part;

/** Kinds of the triangle's diagonal. */
typedef enum tulle_diag {
    TULLE_NON_UNIT = 0, /**< A's entries */
    TULLE_UNIT = 1      /**< ones; A's entries there are not read */
} tulle_diag;

/** Properties of a triangle's pattern. */
typedef struct tulle_trisolve_info {
    int64_t rows;    /**< number of rows of T; in BSR, number of block rows */
    int64_t entries; /**< number of off-diagonal entries; in BSR, number of off-diagonal blocks */
    int64_t levels;  /**< number of rows of the longest chain of rows that wait for one another */
    int64_t widest;  /**< number of rows of the level that has most */
    int64_t longest; /**< number of off-diagonal entries of the longest row; in BSR, of blocks */
    int64_t bytes;   /**< bytes that are kept with the pattern */
    double ms;       /**< time of the analysis in milliseconds; 0: it was known */
} tulle_trisolve_info;

TULLE_BEGIN

/**
 * X := alpha op(T)^-1 B, T the given triangle of A (n x n, CSR or BSR, in the context's memory), B
 * and X n x k in any layouts, possibly the same array. f32 values of A serve f64 B and X.
 *
 * Repeated entries beside the diagonal count as their sum. Of BSR, T is the triangle of the matrix,
 * so of its diagonal blocks too. A row that has no diagonal entry, or two, is an error unless
 * diag is TULLE_UNIT; a diagonal entry that is 0 divides, and gives Inf or NaN as IEEE 754 has it.
 * NaN and Inf in B or A reach exactly the unknowns that depend on them.
 *
 * The kernel: the one that was forced (advanced.h), else the first of the default kernels that
 * takes the call, else a reference kernel, which takes all calls that are left.
 *
 * Error: |alpha B - op(T) X| <= gamma(m + 2) (|op(T)| |X| + |alpha| |B|) + (m + 2) s / u
 * + s |op(T)| e, number by number, gamma(m) = m u / (1 - m u), m the entries of the row, u the unit
 * roundoff of X's type, s its smallest positive number, and e all ones: an unknown that is
 * subnormal is rounded to a multiple of s, and T may have large numbers.
 *
 * Bitwise repeatable, for any number of threads, unless a kernel that is not is forced. Does not
 * synchronise, nor allocate, after the first call for this pattern, part, op, diag and k; may then
 * be captured in a CUDA graph, which uses the context's workspace (spmv.h). Errors:
 * TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_ALIASED (X overlaps A or alpha, or B and is not B), TULLE_UNSUPPORTED (A's format; blocks
 * that are not square; a diagonal entry is missing or repeated, the record names the row; a forced
 * kernel that does not take this case), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_trisolve(tulle_ctx *ctx, tulle_part part, tulle_diag diag,
                                      tulle_trans op, tulle_scalar alpha, const tulle_mat *A,
                                      const tulle_vec *B, tulle_vec *X);

/**
 * Finds out what tulle_trisolve needs to know of A's pattern for this part and op, unless that is
 * known, and says it; info may be NULL. Synchronises: yes, the first time. Errors: as
 * tulle_trisolve.
 */
TULLE_API tulle_status tulle_trisolve_analyse(tulle_ctx *ctx, tulle_part part, tulle_trans op,
                                              const tulle_mat *A, tulle_trisolve_info *info);

TULLE_END
#endif
